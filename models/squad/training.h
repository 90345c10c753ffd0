// Fine-tunes BERT on SQuAD: from a configuration to a trained model in the output folder.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "io/terminal/progress.h"
#include "models/config/resolved_run.h"
#include "models/config/run_folder.h"
#include "models/report/run_facts.h"
#include "models/squad/scores.h"

namespace phasor::run {

struct TrainingOutcome {
  std::int64_t steps = 0;           // done in all, those before a resume included
  std::int64_t first_step = 0;      // how many of them were before this run
  std::int64_t schedule_steps = 0;  // of the run when it is finished
  double loss = 0;                  // mean over the last tenth of this run's steps, ten at least
  double first_loss = 0;            // the same over the first
  double seconds = 0;               // of this run's training steps
  double samples_per_second = 0;
  std::int64_t device_peak_bytes = 0;
  std::string checkpoint;                 // the file written
  std::optional<SquadEvaluation> scores;  // of that file, where checkpoint.evaluate asked for them
  int stopped_by = 0;                     // the signal that ended it before its end (stop_signals.h)
};

// Steps until the end, training.stop_after, or SIGINT or SIGTERM, of which the first lets the step end; then saves.
// What the run will need, data.dev and room for the checkpoint included, is checked before anything in the folder
// changes. `config_yaml` is what config.yml will say, `machine` what run.json says about the machine. Writes
// config.yml, the checkpoint and what RunWatch writes to the folder. Where checkpoint.load is the run's own checkpoint,
// logs go on, and what was left undone behind it is done. A save that fails before the end is reported on standard
// error and tried again when the next is due; the last one has to succeed. `begins` is called when all is checked.
TrainingOutcome train_squad(
    const ResolvedRun& config, const std::string& config_yaml, RunFolder& folder, io::ProgressStyle style,
    const NamedTexts& machine = {}, const std::function<void()>& begins = [] {});
// The same in the folder `output`, which is claimed for as long.
TrainingOutcome train_squad(const ResolvedRun& config, const std::string& config_yaml, const std::string& output,
                            io::ProgressStyle style, const NamedTexts& machine = {});

// Answers the questions of data.dev with the weights of checkpoint.load, else of model.from. The best scores of 2.0 are
// those of the best spans, withheld where the score of "no answer" exceeds theirs by more than the threshold: what to
// give data.null_score_threshold.
SquadEvaluation evaluate_squad(const ResolvedRun& config, io::ProgressStyle style);

// Number of optimizer steps of the whole run on that many samples.
std::int64_t total_steps(const TrainingConfig& training, std::int64_t samples);

}  // namespace phasor::run
