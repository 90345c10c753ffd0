// The checkpoints of a run and, where the configuration asks for it, what data.dev's answers score at each of them.
#pragma once

#include <optional>
#include <string>

#include "models/checkpoint/saver.h"
#include "models/config/resolved_run.h"
#include "models/squad/score_log.h"
#include "models/squad/scores.h"

namespace phasor::run {

class ScoredCheckpoints {
 public:
  // Saves to `path`; scores go to evaluations.jsonl in `output`. The run has `last_step` steps. All that is referred to
  // outlives the object. Throws UserError where it could not save.
  ScoredCheckpoints(const ResolvedRun& config, const std::string& path, const std::string& output,
                    std::int64_t last_step, const Stages& stages, io::ProgressStyle style);

  // Before the first step, with the run at `step`; `saved`: that is what stands under path(). Does what a run that was
  // killed there has left undone.
  void go_on(std::int64_t step, bool saved);

  // Whether a file of the step is to be kept: every checkpoint.every_steps, and the last one.
  bool is_due(std::int64_t step) const;

  // Saves beside the training that goes on. One that fails is told on standard error, and the next tries again.
  void save(const ModelState& state, const RunPosition& position);
  // Saves and returns when all is on the disk. A save that fails is a UserError.
  void save_last(const ModelState& state, const RunPosition& position);

  // When the state may change.
  void wait_until_read() const { saver_.wait_until_read(); }

  const std::string& path() const { return saver_.files().path(); }
  // Of the newest save that was scored.
  const std::optional<SquadEvaluation>& scores() const { return scores_; }

 private:
  bool is_numbered(std::int64_t step) const { return config_.checkpoint.every_steps > 0 && is_due(step); }
  void start(const ModelState& state, const RunPosition& position);
  void evaluate_once(std::int64_t step);
  void evaluate(std::int64_t step);

  const ResolvedRun& config_;
  std::string log_path_;
  std::int64_t last_step_;
  io::ProgressStyle style_;
  std::optional<ScoreLog> log_;
  std::optional<SquadEvaluation> scores_;
  CheckpointSaver saver_;  // last: ends first
};

}  // namespace phasor::run
