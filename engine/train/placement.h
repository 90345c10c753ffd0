// Where each variable lives: whole or sharded, in which remote buffers, and under which names.
#pragma once

#include <string>

#include "engine/ir/stage.h"
#include "engine/remote/remote_buffer.h"

namespace phasor {

// The three tensors that a run keeps of each variable, and the reduced gradient that waits for clipping.
enum class StateKind : std::uint8_t { weight, moment1, moment2, gradient };
inline constexpr StateKind kSavedStates[] = {StateKind::weight, StateKind::moment1, StateKind::moment2};

struct Placement {
  std::int64_t elements = 0;  // of the variable
  bool sharded = false;
  // What one replica stores: ceil(elements / replicas) if sharded, else all.
  std::int64_t local_elements = 0;
  // What a gathered variable or an unreduced gradient takes: local_elements x replicas, the padding included.
  std::int64_t gathered_elements = 0;

  TensorSpec local_spec() const { return {DType::f32, {local_elements}}; }
  std::int64_t local_bytes() const { return local_spec().bytes(); }
  std::int64_t gathered_bytes() const { return gathered_elements * size_of(DType::f32); }
};

// A variable is sharded when there are several replicas and it has at least `rts_threshold` elements.
Placement place_variable(const TensorSpec& spec, int replicas, std::int64_t rts_threshold);

// The buffer of a variable of a stage: a row an instance. A replica's row is its shard or its copy.
BufferSpec state_buffer(StateKind kind, const Stage& stage, const Variable& variable, const Placement& placement);

}  // namespace phasor
