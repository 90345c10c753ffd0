#include "engine/program/access.h"

#include <algorithm>

namespace phasor {

Access::Access(std::initializer_list<std::int32_t> reads, std::initializer_list<std::int32_t> writes)
    : reads_(reads.size()), writes_(writes.size()) {
  std::ranges::copy(writes, std::ranges::copy(reads, own_.begin()).out);
}

Access::Access(std::span<const std::int32_t> slots, std::size_t inputs)
    : of_call_(slots), reads_(inputs), writes_(slots.size() - inputs) {}

Access access_of(const Program& program, const Step& step) {
  switch (step.kind) {
    case StepKind::load:
    case StepKind::zero:
      return {{}, {step.slot}};
    case StepKind::receive:  // what follows the first message goes on with the slot
      if (step.offset == 0) return {{}, {step.slot}};
      return {{step.slot}, {step.slot}};
    case StepKind::store:
    case StepKind::send:
    case StepKind::wait:
      return {{step.slot}, {}};
    case StepKind::gather:
    case StepKind::reduce_scatter:
      return {{step.slot}, {step.target}};
    case StepKind::all_reduce:
      return {{step.slot}, {step.target >= 0 ? step.target : step.slot}};
    case StepKind::add_leaf:
      if (step.micro_batch == 0) return {{step.slot}, {step.target}};
      return {{step.slot, step.target}, {step.target}};
    case StepKind::call: {
      const Call& call = program.calls[step.call];
      return {std::span(call.slots), program.graph_of(call).inputs.size()};
    }
  }
  return {{}, {}};
}

}  // namespace phasor
