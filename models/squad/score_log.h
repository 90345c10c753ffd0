// evaluations.jsonl: what data.dev's answers scored at each checkpoint, a line each.
#pragma once

#include <cstdint>
#include <string>

#include "models/squad/scores.h"

namespace phasor::run {

class ScoreLog {
 public:
  // Continues the log at `path` after step `steps_done`: lines of later steps go, with the next write.
  ScoreLog(std::string path, std::int64_t steps_done);

  void write(std::int64_t step, const SquadScores& scores);

  // Of the newest line; -1 where nothing was written.
  std::int64_t last_step() const { return last_step_; }
  // Of the highest F1, the first of equals; -1 where nothing was written.
  std::int64_t best_step() const { return best_step_; }

 private:
  void take(std::int64_t step, double f1);

  std::string path_;
  std::string lines_;
  std::int64_t last_step_ = -1, best_step_ = -1;
  double best_f1_ = 0;
};

}  // namespace phasor::run
