// evaluations.jsonl: what a run scored at each of its checkpoints, a line each.
#pragma once

#include <cstdint>
#include <string>

#include "models/run/scores.h"

namespace phasor::run {

class ScoreLog {
 public:
  // Continues the log at `path` after step `steps_done`: lines of later steps go, with the next write.
  ScoreLog(std::string path, std::int64_t steps_done, Measure measure);

  // The step and the scores that are logged, the measure's among them.
  void write(std::int64_t step, const Scores& scores);

  // Of the newest line; -1 where nothing was written.
  std::int64_t last_step() const { return last_step_; }
  // Of the best score, the first of equals; -1 where nothing was written.
  std::int64_t best_step() const { return best_step_; }

 private:
  void take(std::int64_t step, double score);

  std::string path_;
  Measure measure_;
  std::string lines_;
  std::int64_t last_step_ = -1, best_step_ = -1;
  double best_score_ = 0;
};

}  // namespace phasor::run
