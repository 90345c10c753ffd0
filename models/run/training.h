// Trains a model: from a configuration to a trained model in the output folder.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "models/config/run_folder.h"
#include "models/report/metrics_log.h"
#include "models/report/run_facts.h"
#include "models/run/task.h"

namespace phasor::run {

// Who goes along with a run. Called on the thread that trains, between its steps, or between those that run without the
// host; what they throw ends the run as it stands.
struct TrainingEvents {
  std::function<void(std::int64_t first, std::int64_t end)> begins;  // steps done before, and at its end
  std::function<void(std::int64_t step)> step_begins;                // from 1
  std::function<bool(const StepMetrics& metrics)> step_done;         // a line of the log; whether to go on
  std::function<void(std::int64_t step)> saving;                     // a checkpoint of so many steps
};

struct TrainingRequest {
  ResolvedRun run;
  std::string record;                // what config.yml will say
  NamedTexts machine;                // what run.json will say about the machine
  std::vector<std::string> changes;  // what goes on otherwise than it was: told when all is checked
  TrainingEvents events = {};
};

struct TrainingOutcome {
  std::int64_t steps = 0;           // done in all, those before a resume included
  std::int64_t first_step = 0;      // how many of them were before this run
  std::int64_t schedule_steps = 0;  // of the run when it is finished
  LossTrend loss;                   // over this run's steps
  double seconds = 0;               // of this run's training steps
  double samples_per_second = 0;
  std::int64_t device_peak_bytes = 0;
  std::string checkpoint;        // the file written
  std::optional<Scores> scores;  // of that file, where checkpoint.evaluate asked for them
  int stopped_by = 0;            // the signal that ended it before its end (stop_signals.h)
};

// Steps until the end, training.stop_after, or SIGINT or SIGTERM, of which the first lets the steps end that are under
// way; then saves. Up to execution.device_iterations of them run without the host in between: fewer where it has to see
// the state before, so that saves, scores and fingerprints are those of single steps.
// What the run will need, data.dev and room for the checkpoint included, is checked before anything in the folder
// changes. Writes config.yml, the checkpoint and what RunWatch writes to the folder. Where checkpoint.load is the run's
// own checkpoint, logs go on, and what was left undone behind it is done. A save that fails before the end is a warning
// and tried again when the next is due; the last one has to succeed.
TrainingOutcome train(const Task& task, const TrainingRequest& request, RunFolder& folder, io::Listener& listener);

}  // namespace phasor::run
