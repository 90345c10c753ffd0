// Runs a model forward, on the weights that a machine's remote memory holds: on one device of each replica or, as
// execution.pipeline says, on several.
#pragma once

#include <memory>
#include <string>

#include "engine/lower/units/options.h"
#include "engine/program/execute/runner.h"
#include "engine/train/state.h"

namespace phasor {

class Predictor {
 public:
  // `stages` without loss and dropout. Replicas share the work: each runs execution.accumulation micro-batches of its
  // own. Predictors with programs of several names share the weights, and what their stages carry from run to run. The
  // machine outlives the predictor. Throws UserError where a plan takes more than execution.device_memory.
  Predictor(const Stages& stages, const ExecutionOptions& execution, Machine& machine,
            const std::string& program = "infer");

  template <class T>
  void write_batch(const std::string& name, int replica, int micro_batch, std::span<const T> values) {
    machine_.memory[program_ + ".batch." + name].store(replica, micro_batch, values);
  }
  // Where execution is monolithic, and there are several devices or stages that carry something: before the first run,
  // when the remote memory has the weights and what is gone on with, and behind the last, for what is carried to be
  // there again. Else nothing.
  void begin() { runner_->run(Section::begin); }
  void end() { runner_->run(Section::end); }
  // Reads the first `micro_batches` of each replica, from 1 to execution.accumulation.
  void run(int micro_batches) { runner_->run(Section::step, micro_batches); }
  // All.
  void run() { runner_->run(Section::step); }
  void read_result(const std::string& name, int replica, int micro_batch, std::span<float> values) const {
    machine_.memory[program_ + ".result." + name].load(replica, micro_batch, values);
  }

  const Stages& stages() const { return stages_; }
  ModelState& state() { return *state_; }
  const Runner& runner() const { return *runner_; }

 private:
  Stages stages_;
  Machine& machine_;
  std::string program_;
  std::unique_ptr<Runner> runner_;
  std::unique_ptr<ModelState> state_;
};

}  // namespace phasor
