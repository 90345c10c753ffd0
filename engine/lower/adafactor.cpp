#include "engine/lower/adafactor.h"

#include "engine/ir/records.h"
#include "engine/lower/update.h"

namespace phasor {

namespace {

// Of a variable, for as long as its phase: kind of number to slot.
SlotId numbers_slot(PhaseBuilder& phase, const char* kind, int variable, std::int64_t bytes) {
  return phase.slot(fmt::format("{}.{}", kind, phase.unit().variables[variable].name), Content::batch, bytes);
}
SlotId factor_sums_slot(PhaseBuilder& phase, int variable) {
  const std::int64_t numbers = phase.unit().variables[variable].placement.matrices.numbers();
  return numbers_slot(phase, "factor_sums", variable, numbers * size_of(DType::i64));
}
SlotId factors_slot(PhaseBuilder& phase, int variable) {
  const std::int64_t numbers = phase.unit().variables[variable].placement.matrices.numbers();
  return numbers_slot(phase, "factors", variable, numbers * size_of(DType::f32));
}
SlotId squares_slot(PhaseBuilder& phase, int variable) {
  const std::int64_t count = phase.unit().variables[variable].placement.matrices.count;
  return numbers_slot(phase, "update_squares", variable, count * kSquareSumSpec.bytes());
}

// The numbers of a slice's rows and of its matrix's columns, in a slot that has those of all matrices.
std::vector<SlotPlace> rows_and_columns(SlotId slot, const UpdateSlice& slice, DType dtype) {
  const Matrices& matrices = slice.placement.matrices;
  const std::int64_t row = slice.first / matrices.columns, matrix = row / matrices.rows;
  const std::int64_t first = matrix * (matrices.rows + matrices.columns);
  return {{.slot = slot, .offset = (first + row % matrices.rows) * size_of(dtype)},
          {.slot = slot, .offset = (first + matrices.rows) * size_of(dtype)}};
}
SlotPlace squares_of(PhaseBuilder& phase, const UpdateSlice& slice) {
  const std::int64_t matrix = slice.first / (slice.placement.matrices.rows * slice.placement.matrices.columns);
  return {.slot = squares_slot(phase, slice.variable), .offset = matrix * kSquareSumSpec.bytes()};
}

std::vector<SlotPlace> factor_sums_beside(PhaseBuilder& phase, const UpdateSlice& slice) {
  return rows_and_columns(factor_sums_slot(phase, slice.variable), slice, DType::i64);
}
std::vector<SlotPlace> all_sums(PhaseBuilder& phase, const UpdateSlice& slice) {
  return {{.slot = factor_sums_slot(phase, slice.variable)}};
}
std::vector<SlotPlace> all_factors(PhaseBuilder& phase, const UpdateSlice& slice) {
  return {{.slot = factors_slot(phase, slice.variable)}};
}
std::vector<SlotPlace> squares_beside(PhaseBuilder& phase, const UpdateSlice& slice) {
  return {squares_of(phase, slice)};
}
std::vector<SlotPlace> factors_beside(PhaseBuilder& phase, const UpdateSlice& slice) {
  std::vector<SlotPlace> places{squares_of(phase, slice)};
  for (const SlotPlace& place : rows_and_columns(factors_slot(phase, slice.variable), slice, DType::f32)) {
    places.push_back(place);
  }
  return places;
}

constexpr StateKind kMatrixGradient[] = {StateKind::gradient};
constexpr StateKind kMatrixMoments[] = {StateKind::moment2};
constexpr StateKind kMatrixRead[] = {StateKind::weight, StateKind::gradient};
constexpr StateKind kMatrixWritten[] = {StateKind::weight, StateKind::rounded};

}  // namespace

void check_adafactor(const LoweringContext& context) {
  if (context.optimizer.kind != OptimizerKind::adafactor) return;
  for (const LoweredUnit& unit : context.units) {
    check(!unit.unit.sliced || unit.unit.instances == 1,
          "adafactor: table '{}' is in {} slices, whose columns nothing sums. Set "
          "execution.embedding_serialization_factor to 1",
          unit.unit.name, unit.unit.instances);
    for (const PlacedVariable& variable : unit.variables) {
      check(!variable.placement.sharded,
            "adafactor: variable '{}' is sharded, whose rows and columns nothing sums. Set "
            "execution.replicated_tensor_sharding to false",
            variable.name);
    }
  }
}

void adafactor_update(PhaseBuilder& phase, const DeviceState& present) {
  std::vector<int> variables;
  for (int v = 0; v < phase.unit().count(); ++v) {
    const PlacedVariable& variable = phase.unit().variables[v];
    if (!variable.tied && !variable.frozen) variables.push_back(v);
  }
  for (int v : variables) {
    phase.builder().zero(factor_sums_slot(phase, v));
    phase.builder().zero(squares_slot(phase, v));
  }
  UpdateSlices slices(phase, present);
  slices.run({.name = "sums",
              .graph = adafactor_sums_graph,
              .reads = kMatrixGradient,
              .reads_beside = factor_sums_beside,
              .draws = false,
              .writes = {},
              .writes_beside = factor_sums_beside},
             variables);
  slices.run({.name = "factors",
              .graph = adafactor_factors_graph,
              .reads = kMatrixMoments,
              .reads_beside = all_sums,
              .clips = false,
              .draws = false,
              .writes = kMatrixMoments,
              .writes_beside = all_factors,
              .whole = true},
             variables);
  slices.run({.name = "squares",
              .graph = adafactor_squares_graph,
              .reads = kMatrixGradient,
              .reads_beside = factors_beside,
              .draws = false,
              .writes = {},
              .writes_beside = squares_beside},
             variables);
  slices.run({.name = "weights",
              .graph = adafactor_weights_graph,
              .reads = kMatrixRead,
              .reads_beside = factors_beside,
              .writes = kMatrixWritten},
             variables);
}

}  // namespace phasor
