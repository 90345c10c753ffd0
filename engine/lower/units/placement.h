// Where each variable lives: whole or sharded, in which remote buffers, and under which names.
#pragma once

#include <algorithm>
#include <string>

#include "engine/ir/stage.h"
#include "engine/lower/units/options.h"
#include "engine/program/content.h"
#include "engine/remote/remote_buffer.h"

namespace phasor {

enum class StateKind : std::uint8_t {
  weight,    // what the optimizer updates
  moment1,   //
  moment2,   //
  gradient,  // reduced, waiting for the clip factor
  rounded,   // the weight in the type that the model computes in, where the weight itself is not
};
inline constexpr int kStateKinds = 5;
struct StateInfo {
  StateKind kind{};
  const char* name;  // of its remote buffers, and of its group in a checkpoint
  const char* slot;  // of its slots: as formulas have it
  Content content{};
};
inline constexpr StateInfo kStates[kStateKinds] = {{StateKind::weight, "weight", "w", Content::weights},
                                                   {StateKind::moment1, "moment1", "m", Content::moments},
                                                   {StateKind::moment2, "moment2", "v", Content::moments},
                                                   {StateKind::gradient, "gradient", "g", Content::gradients},
                                                   {StateKind::rounded, "rounded", "rounded", Content::weights}};
constexpr const StateInfo& state_info(StateKind kind) { return kStates[static_cast<std::size_t>(kind)]; }
static_assert(std::ranges::all_of(kStates, [](const StateInfo& info) { return &info == &state_info(info.kind); }));

// What an update makes anew of each variable, as far as it exists.
inline constexpr StateKind kUpdatedStates[] = {StateKind::weight, StateKind::moment1, StateKind::moment2,
                                               StateKind::rounded};
// What a run keeps of each variable; the rest can be made from it.
inline constexpr StateKind kSavedStates[] = {StateKind::weight, StateKind::moment1, StateKind::moment2};

// What a variable is under Adafactor: matrices of one size, one behind the other, whose second moments are a number for
// each row, then for each column. A vector has one column.
struct Matrices {
  std::int64_t count = 0, rows = 0, columns = 0;  // none under other optimizers

  std::int64_t numbers() const { return count * (rows + columns); }
};
Matrices matrices_of(const Stage& stage, const Variable& variable, const OptimizerOptions& optimizer);

struct Placement {
  std::int64_t elements = 0;  // of the variable
  bool sharded = false;
  // What one replica stores: ceil(elements / replicas) if sharded, else all.
  std::int64_t local_elements = 0;
  // What a gathered variable or an unreduced gradient takes: local_elements x replicas, the padding included.
  std::int64_t gathered_elements = 0;
  DType stores = DType::f32;    // what the weight is kept in
  DType computes = DType::f32;  // what the model's graphs read it in
  Matrices matrices = {};

  // Whether there is a rounded copy beside the weight, which is then the master.
  bool rounds() const { return computes != stores; }
  // The state that the model's graphs read.
  StateKind computed_state() const { return rounds() ? StateKind::rounded : StateKind::weight; }

  DType dtype(StateKind kind) const {
    return kind == StateKind::weight ? stores : kind == StateKind::rounded ? computes : DType::f32;
  }
  bool is_factored(StateKind kind) const { return kind == StateKind::moment2 && matrices.count > 0; }
  TensorSpec local_spec(StateKind kind) const {
    return {dtype(kind), {is_factored(kind) ? matrices.numbers() : local_elements}};
  }
  std::int64_t local_bytes(StateKind kind) const { return local_spec(kind).bytes(); }
  std::int64_t gathered_bytes(StateKind kind) const { return gathered_elements * size_of(dtype(kind)); }
};

// `spec` is that of the variable in its graph. It is sharded when there are several replicas and it has at least
// `rts_threshold` elements.
// Without masters its weight is kept in what it computes in.
Placement place_variable(const TensorSpec& spec, int replicas, std::int64_t rts_threshold, bool masters = true);

// Whether a variable that is not tied has that state under the optimizer: one that is frozen has its weight alone.
bool keeps_state(StateKind kind, const Variable& variable, const Placement& placement,
                 const OptimizerOptions& optimizer);

// The buffer of a variable of a stage: a row an instance. A replica's row is its shard or its copy.
BufferSpec state_buffer(StateKind kind, const Stage& stage, const Variable& variable, const Placement& placement);

}  // namespace phasor
