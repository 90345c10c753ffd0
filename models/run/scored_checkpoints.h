// The checkpoints of a run and, where the configuration asks for it, what the answers of each of them score.
#pragma once

#include <optional>
#include <string>

#include "models/checkpoint/saver.h"
#include "models/run/score_log.h"
#include "models/run/task.h"

namespace phasor::run {

// Keeps the pictures that an evaluation made for the report of the run in the folder `output`.
void keep_figures(const std::string& output, const Scores& scores);

class ScoredCheckpoints {
 public:
  // Saves where the configuration says; scores go to evaluations.jsonl in `output`. The run has `last_step` steps.
  // Task, stages and listener outlive the object. Throws UserError where it could not save.
  ScoredCheckpoints(const Task& task, const ResolvedRun& config, const std::string& output, std::int64_t last_step,
                    const Stages& stages, io::Listener& listener);

  // Before the first step, with the run at `step`; `saved`: that is what stands under path(). Does what a run that was
  // killed there has left undone.
  void go_on(std::int64_t step, bool saved);

  // Whether a file of the step is to be kept: every checkpoint.every_steps, and the last one.
  bool is_due(std::int64_t step) const;

  // Saves beside the training that goes on. One that fails is a warning, and the next tries again.
  void save(const ModelState& state, const RunPosition& position);
  // Saves and returns when all is on the disk. A save that fails is a UserError; one whose file cannot have the name of
  // its step as well is a warning.
  void save_last(const ModelState& state, const RunPosition& position);

  // When the state may change.
  void wait_until_read() const { saver_.wait_until_read(); }

  const std::string& path() const { return saver_.files().path(); }
  // Of the newest save that was scored.
  const std::optional<Scores>& scores() const { return scores_; }

 private:
  bool is_numbered(std::int64_t step) const { return config_.checkpoint.every_steps > 0 && is_due(step); }
  // Tells of a save that failed in the middle of the run. Whether there was nothing to tell.
  bool succeeded(const std::string& failure);
  void start(const ModelState& state, const RunPosition& position);
  void evaluate_once(std::int64_t step);
  void evaluate(std::int64_t step);

  const Task& task_;
  ResolvedRun config_;
  std::string output_;
  std::int64_t last_step_;
  io::Listener& listener_;
  std::optional<ScoreLog> log_;
  std::optional<Scores> scores_;
  CheckpointSaver saver_;
};

}  // namespace phasor::run
