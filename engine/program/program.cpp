#include "engine/program/program.h"

namespace phasor {

Access access_of(const Program& program, const Step& step) {
  switch (step.kind) {
    case StepKind::load:
    case StepKind::zero:
      return {{}, {step.slot}};
    case StepKind::store:
    case StepKind::wait:
      return {{step.slot}, {}};
    case StepKind::gather:
    case StepKind::reduce_scatter:
      return {{step.slot}, {step.target}};
    case StepKind::all_reduce:
      return {{step.slot}, {step.slot}};
    case StepKind::call: {
      const Call& call = program.calls[step.call];
      const auto outputs = call.slots.begin() + static_cast<std::ptrdiff_t>(program.graph_of(call).inputs.size());
      return {{call.slots.begin(), outputs}, {outputs, call.slots.end()}};
    }
  }
  return {};
}

}  // namespace phasor
