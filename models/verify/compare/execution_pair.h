// An execution beside the first one, held against it step by step.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "models/verify/compare/recorded_run.h"
#include "models/verify/compare/result.h"
#include "models/verify/compare/rounding_judge.h"
#include "models/verify/executions/execution.h"
#include "models/verify/values/disturbance.h"

namespace phasor::run {

// One that is held against the first, and what comes with it.
struct OtherExecution {
  std::string beside, name;              // for VerifiedPair
  std::string explained;                 // likewise
  Execution* execution = nullptr;        // null: it is over, and only what it has left is known
  EngineExecution* engine = nullptr;     // the same where it is the engine's
  const RecordedRun* record = nullptr;   // what it has left
  Rounding rounding = Rounding::none;    // what may change bits
  std::vector<EngineExecution*> probes;  // of the first configuration, where `rounding` is known (bound.h)
  bool same_micro_batches = false;       // whether each has the samples that the first one's has
  bool same_sums = false;                // whether each replica has the micro-batches that the first one's has

  // Whether values that it makes within a step can be held against the first one's.
  bool shows_values() const { return engine != nullptr && same_micro_batches; }
};

struct LockstepOptions {
  std::int64_t steps = 10;
  std::int64_t steps_behind = 4;  // the first difference, that are told of
  bool activations = false;
};

class ExecutionPair {
 public:
  // All outlive it.
  ExecutionPair(const OtherExecution& other, EngineExecution& first, const LockstepOptions& options);

  // Whether more steps would tell more.
  bool goes_on() const;

  // Makes the step that the first execution has made, with this loss and these values, and compares.
  void step(double loss, const StepValues& values);

  // What was found, at the end.
  VerifiedPair take();

 private:
  bool watches() const { return options_.activations && other_.shows_values(); }
  bool found() const { return judge_ ? judge_->verdict().beyond.has_value() : result_.first.has_value(); }
  std::vector<ValueComparison> step_of_probes(const StepValues& values);
  void judge(std::int64_t step, const ValueComparison& compared, const std::vector<ValueComparison>& of_probes,
             const std::vector<TensorDistance>& state);
  void step_of_record(double loss);
  void find_first(std::int64_t step, double loss, double own_loss, const ValueComparison& compared,
                  const std::vector<TensorDistance>& state);

  const OtherExecution& other_;
  EngineExecution& first_;
  const LockstepOptions& options_;
  VerifiedPair result_;
  std::optional<RoundingJudge> judge_;  // where there are probes
  std::int64_t steps_since_ = 0;        // what was looked for was found, that step included
};

}  // namespace phasor::run
