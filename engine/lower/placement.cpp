#include "engine/lower/placement.h"

namespace phasor {

const char* state_name(StateKind kind) {
  static constexpr const char* kNames[] = {"w", "m", "v", "g", "rounded"};
  return kNames[static_cast<int>(kind)];
}

Content content_of(StateKind kind) {
  static constexpr Content kContentsOf[] = {Content::weights, Content::moments, Content::moments, Content::gradients,
                                            Content::weights};
  return kContentsOf[static_cast<int>(kind)];
}

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

BufferSpec state_buffer(StateKind kind, const Stage& stage, const Variable& variable, const Placement& placement) {
  static constexpr const char* kNames[] = {"weight", "moment1", "moment2", "gradient", "rounded"};
  return {.name = fmt::format("{}.{}.{}", stage.name, variable.name, kNames[static_cast<int>(kind)]),
          .row = placement.local_spec(kind),
          .rows = stage.instances};
}

}  // namespace phasor
