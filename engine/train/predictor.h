// Runs a model forward, on the weights that a machine's remote memory holds.
#pragma once

#include <memory>

#include "engine/lower/units/options.h"
#include "engine/program/execute/runner.h"
#include "engine/train/state.h"

namespace phasor {

class Predictor {
 public:
  // `stages` without loss and dropout. Replicas share the work: each runs execution.accumulation micro-batches of its
  // own. The machine outlives the predictor.
  Predictor(const Stages& stages, const ExecutionOptions& execution, Machine& machine);

  template <class T>
  void write_batch(const std::string& name, int replica, int micro_batch, std::span<const T> values) {
    machine_.memory["infer.batch." + name].store(replica, micro_batch, values);
  }
  // Reads the first `micro_batches` of each replica, from 1 to execution.accumulation.
  void run(int micro_batches) { runner_->run(Section::step, micro_batches); }
  // All.
  void run() { runner_->run(Section::step); }
  void read_result(const std::string& name, int replica, int micro_batch, std::span<float> values) const {
    machine_.memory["infer.result." + name].load(replica, micro_batch, values);
  }

  const Stages& stages() const { return stages_; }
  ModelState& state() { return *state_; }
  const Runner& runner() const { return *runner_; }

 private:
  Stages stages_;
  Machine& machine_;
  std::unique_ptr<Runner> runner_;
  std::unique_ptr<ModelState> state_;
};

}  // namespace phasor
