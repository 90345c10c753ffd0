// A model of Transformers that trains beside an execution of the engine, step by step: the same first weights, samples,
// learning rates and optimizer, computed by PyTorch in a process of its own (scripts/compare/transformers_steps.py).
#pragma once

#include <array>
#include <map>
#include <string>
#include <vector>

#include "models/batches/data_order.h"
#include "models/verify/executions/execution.h"
#include "models/verify/executions/python_process.h"

namespace phasor::run {

class TransformersExecution : public Execution {
 public:
  // From the step and the state at which `first` is, on its samples, which outlive the execution. The configuration is
  // that of `first`, and has been checked (transformers_check.h). A `python` that cannot be run, or lacks torch or
  // transformers, is a UserError.
  TransformersExecution(const std::string& python, const ResolvedRun& config, const Samples& samples,
                        ConfiguredExecution& first);

  // Whose execution it is: "transformers 5.23.0 with torch 2.15.0".
  const std::string& name() const { return name_; }

  // Throws UserError where the process fails.
  double step() override;
  std::int64_t done() const override { return done_; }
  StateReader state() override;

 private:
  void write_model(ConfiguredExecution& first);
  void begin(ConfiguredExecution& first);

  static constexpr std::array kKinds = {StateKind::weight, StateKind::moment1, StateKind::moment2};

  ResolvedRun config_;
  const Samples& samples_;
  Schedule schedule_;
  DataOrder order_;
  std::int64_t done_, taken_;
  std::vector<std::int64_t> chosen_;
  std::vector<CanonicalTensor> tensors_;
  std::map<std::string, std::size_t> numbers_;                        // of tensors_, by name
  std::array<std::vector<std::vector<float>>, kKinds.size()> state_;  // of each kind and tensor, behind the last step
  std::string name_;
  PythonProcess python_;
};

}  // namespace phasor::run
