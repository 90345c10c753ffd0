// Shows how far the loading or saving of a model's state has come.
#pragma once

#include <string>

#include "engine/train/state.h"
#include "io/progress.h"

namespace phasor::tasks {

// While it lives. Counts weights and moments once; a state that moves in about a second is not worth a line.
class StateProgress {
 public:
  StateProgress(std::string title, const Stages& stages, ModelState& state, io::ProgressStyle style,
                std::FILE* out = stderr);
  StateProgress(const StateProgress&) = delete;
  StateProgress& operator=(const StateProgress&) = delete;
  ~StateProgress();

 private:
  void advance(std::int64_t bytes);

  ModelState& state_;
  std::int64_t total_bytes_, bytes_ = 0;
  io::Progress progress_;
};

}  // namespace phasor::tasks
