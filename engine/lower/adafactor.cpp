#include "engine/lower/adafactor.h"

#include "engine/ir/records.h"
#include "engine/lower/update.h"

namespace phasor {

namespace {

// Of rows and columns of all matrices, and of each matrix.
constexpr UpdateNumbers kFactorSums{.name = "factor_sums", .bytes = [](const PlacedVariable& variable) {
                                      return variable.placement.matrices.numbers() * size_of(DType::i64);
                                    }};
constexpr UpdateNumbers kFactors{.name = "factors", .bytes = [](const PlacedVariable& variable) {
                                   return variable.placement.matrices.numbers() * size_of(DType::f32);
                                 }};
constexpr UpdateNumbers kSquares{.name = "update_squares", .bytes = [](const PlacedVariable& variable) {
                                   return variable.placement.matrices.count * kSquareSumSpec.bytes();
                                 }};

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
  return {.slot = slot_of(phase, kSquares, slice.variable), .offset = matrix * kSquareSumSpec.bytes()};
}

std::vector<SlotPlace> factor_sums_beside(PhaseBuilder& phase, const UpdateSlice& slice) {
  return rows_and_columns(slot_of(phase, kFactorSums, slice.variable), slice, DType::i64);
}
std::vector<SlotPlace> squares_beside(PhaseBuilder& phase, const UpdateSlice& slice) {
  return {squares_of(phase, slice)};
}
std::vector<SlotPlace> factors_beside(PhaseBuilder& phase, const UpdateSlice& slice) {
  std::vector<SlotPlace> places{squares_of(phase, slice)};
  for (const SlotPlace& place : rows_and_columns(slot_of(phase, kFactors, slice.variable), slice, DType::f32)) {
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
  const std::vector<int> variables = updated_variables(phase, [](const PlacedVariable&) { return true; });
  for (int v : variables) {
    zero(phase, kFactorSums, v);
    zero(phase, kSquares, v);
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
              .reads_beside = all_of<kFactorSums>,
              .clips = false,
              .draws = false,
              .writes = kMatrixMoments,
              .writes_beside = all_of<kFactors>,
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
