#include "engine/train/predictor.h"

#include "engine/ir/records.h"
#include "engine/lower/buffers.h"
#include "engine/lower/lowering.h"
#include "engine/train/device_budget.h"

namespace phasor {

Predictor::Predictor(const Stages& stages, const ExecutionOptions& execution, Machine& machine,
                     const std::string& program)
    : stages_(prepare_stages(stages, execution.precision)),
      machine_(machine),
      program_(program),
      runner_(std::make_unique<Runner>(lower_inference_pipeline(stages_, execution, program), machine)),
      state_(std::make_unique<ModelState>(stages_, machine.memory, execution.rts_threshold)) {
  check_budget(runner_->plans(), execution);
  // Nothing is drawn, but slices look up their numbers.
  const std::vector<InstanceNumbers> instances = number_instances(stages_);
  const HostBuffers buffers{.program = program, .accumulation = execution.accumulation};
  RemoteBuffer& positions = machine.memory.open(buffers.position(static_cast<int>(instances.size())));
  for (std::int64_t row = 0; row < std::ssize(instances) * execution.accumulation; ++row) {
    const auto& [stage, slice] = instances[row / execution.accumulation];
    const auto position = PositionRecord{.random = {.stage = stage}, .slice = slice}.numbers();
    for (int replica = 0; replica < machine.replicas.count(); ++replica) {
      positions.store(replica, row, std::span(position));
    }
  }
}

}  // namespace phasor
