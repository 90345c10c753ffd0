#include <algorithm>

#include "tests/ops/op_case.h"

namespace phasor::test {

namespace {

constexpr std::int64_t kEntries = 5, kColumns = 4, kPadding = 2;

OpCase embedding_case(const Shape& ids, std::int64_t padding) {
  OpCase c;
  c.name = fmt::format("embedding of ids {}, padding {}", to_string(ids), padding);
  const Value table = c.add_reals({kEntries, kColumns});
  c.add_output(c.builder().embedding(table, c.add_ids(ids, kEntries), {.padding = padding}), 0);
  c.differentiable = {table};
  const auto count = static_cast<double>(ids.elements());
  c.gradient_bound = count * rounding(count);
  return c;
}

OpCase embedding_gradient_case(const Shape& ids, const Shape& dy, std::int64_t padding) {
  OpCase c;
  c.name = fmt::format("embedding_gradient of ids {}, padding {}", to_string(ids), padding);
  const Value positions = c.add_ids(ids, kEntries);
  const auto count = static_cast<double>(ids.elements());
  c.add_output(c.builder().embedding_gradient(positions, c.add_reals(dy), {.entries = kEntries, .padding = padding}),
               count * rounding(count));
  return c;
}

OpCase embedding_gradient_add_case(const Shape& ids, const Shape& dy, std::int64_t padding) {
  OpCase c;
  c.name = fmt::format("embedding_gradient_add of ids {}, padding {}", to_string(ids), padding);
  const Value sum = c.add_reals({kEntries, kColumns}), positions = c.add_ids(ids, kEntries);
  const auto count = static_cast<double>(ids.elements());
  c.add_output(
      c.builder().embedding_gradient_add(sum, positions, c.add_reals(dy), {.entries = kEntries, .padding = padding}),
      (count + 1) * rounding(count + 1));
  return c;
}

// Slice 1 of 3 of a table of 3 kEntries - 1.
constexpr std::int64_t kSlice = 1, kWhole = 3 * kEntries - 1;

OpCase embedding_slice_case(const Shape& ids, const Shape& x) {
  OpCase c;
  c.name = fmt::format("embedding_slice of ids {}", to_string(ids));
  const Value before = c.add_reals(x), table = c.add_reals({kEntries, kColumns});
  const Value numbers = c.add_ids(ids, kWhole), position = c.add_position(kSlice);
  c.add_output(c.builder().embedding_slice(before, table, numbers, position, {.whole = kWhole}), 0);
  c.differentiable = {table};
  const auto count = static_cast<double>(ids.elements());
  c.gradient_bound = count * rounding(count);
  return c;
}

OpCase embedding_gradient_of_slice_case(bool adds) {
  OpCase c;
  c.name = adds ? "embedding_gradient_add of a slice" : "embedding_gradient of a slice";
  const Value sum = adds ? c.add_reals({kEntries, kColumns}) : Value{};
  const Value numbers = c.add_ids({21}, kWhole), dy = c.add_reals({21, kColumns}), position = c.add_position(kSlice);
  const EmbeddingAttributes attributes{.entries = kEntries, .padding = kEntries + kPadding, .whole = kWhole};
  c.add_output(adds ? c.builder().embedding_gradient_add(sum, numbers, dy, attributes, position)
                    : c.builder().embedding_gradient(numbers, dy, attributes, position),
               22 * rounding(22));
  return c;
}

}  // namespace

std::vector<OpCase> embedding_cases() {
  return {embedding_slice_case({9}, {9, kColumns}),
          embedding_slice_case({3, 7}, {3, 7, kColumns}),
          embedding_gradient_of_slice_case(false),
          embedding_gradient_of_slice_case(true),
          embedding_gradient_add_case({9}, {9, kColumns}, -1),
          embedding_gradient_add_case({3, 7}, {3, 7, kColumns}, kPadding),
          embedding_case({9}, -1),
          embedding_case({3, 7}, -1),
          embedding_gradient_case({9}, {9, kColumns}, -1),
          embedding_gradient_case({3, 7}, {3, 7, kColumns}, kPadding)};
}

namespace {

TEST(EmbeddingOps, FastAgreesWithReference) {
  for (const OpCase& c : embedding_cases()) expect_fast_agrees(c);
}

TEST(EmbeddingOps, GradientIsTheDerivative) {
  for (const OpCase& c : embedding_cases()) expect_gradient_is_the_derivative(c);
}

// By definition, the entry that stands for no token does not learn; the others do as ever.
TEST(EmbeddingOps, PaddingGetsNoGradient) {
  const OpCase c = embedding_case({3, 7}, kPadding);
  ASSERT_TRUE(std::ranges::count(c.inputs[1].ids, static_cast<std::int32_t>(kPadding)) > 0);
  std::vector<double> expected = complex_step_gradient(c, c.differentiable[0]);
  std::fill_n(expected.begin() + kPadding * kColumns, kColumns, 0.0);
  expect_equal_gradients(c, autodiff_gradient(c, c.differentiable[0]), expected);
}

}  // namespace
}  // namespace phasor::test
