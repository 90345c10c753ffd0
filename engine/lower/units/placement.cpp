#include "engine/lower/units/placement.h"

namespace phasor {

Placement place_variable(const TensorSpec& spec, int replicas, std::int64_t rts_threshold, bool masters) {
  const std::int64_t elements = spec.elements();
  const bool sharded = replicas > 1 && elements >= rts_threshold;
  const std::int64_t local = sharded ? (elements + replicas - 1) / replicas : elements;
  return {.elements = elements,
          .sharded = sharded,
          .local_elements = local,
          .gathered_elements = sharded ? local * replicas : elements,
          .stores = masters ? DType::f32 : spec.dtype,
          .computes = spec.dtype};
}

Matrices matrices_of(const Stage& stage, const Variable& variable, const OptimizerOptions& optimizer) {
  if (optimizer.kind != OptimizerKind::adafactor) return {};
  const Shape& shape = stage.graph.spec(variable.value).shape;
  const auto count = static_cast<std::int64_t>(std::max<std::size_t>(1, variable.parts.size()));
  const std::int64_t all_rows = shape.rank() == 0 ? 1 : shape[0];
  return {.count = count, .rows = all_rows / count, .columns = shape.elements() / all_rows};
}

bool keeps_state(StateKind kind, const Variable& variable, const Placement& placement,
                 const OptimizerOptions& optimizer) {
  switch (kind) {
    case StateKind::weight:
      return true;
    case StateKind::moment1:
      return !variable.frozen && optimizer.keeps_moment1();
    case StateKind::moment2:
      return !variable.frozen && optimizer.keeps_moment2();
    case StateKind::gradient:
      return !variable.frozen;
    case StateKind::rounded:
      break;
  }
  return placement.rounds();
}

BufferSpec state_buffer(StateKind kind, const Stage& stage, const Variable& variable, const Placement& placement) {
  return {.name = fmt::format("{}.{}.{}", stage.name, variable.name, state_info(kind).name),
          .row = placement.local_spec(kind),
          .rows = stage.instances};
}

}  // namespace phasor
