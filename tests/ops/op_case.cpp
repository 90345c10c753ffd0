#include "tests/ops/op_case.h"

#include "engine/ir/verifier.h"
#include "engine/transform/autodiff.h"
#include "tests/support/complex_step.h"
#include "tests/support/fast_executor.h"
#include "tests/support/inputs.h"
#include "tests/support/records.h"
#include "tests/support/reference_executor.h"
#include "tests/support/teams.h"
#include "tests/support/whole_rows.h"

namespace phasor::test {

namespace {

Doubles dy_of(const OpCase& c) {
  return widen(uniform(77, static_cast<std::size_t>(c.graph.spec(c.graph.outputs[0]).elements())));
}

std::size_t number_of(const OpCase& c, Value input) {
  return static_cast<std::size_t>(std::ranges::find(c.graph.inputs, input) - c.graph.inputs.begin());
}

}  // namespace

Value OpCase::add_reals(const Shape& shape, float low, float high) {
  const auto count = static_cast<std::size_t>(shape.elements());
  return add_given(shape, widen(uniform(inputs.size(), count, low, high)));
}

Value OpCase::add_ids(const Shape& shape, std::int32_t end) {
  inputs.emplace_back();
  inputs.back().ids = random_ids(inputs.size(), static_cast<std::size_t>(shape.elements()), end);
  return graph.add_input({DType::i32, shape}, "ids");
}

Value OpCase::add_given_ids(const Shape& shape, std::vector<std::int32_t> ids) {
  const Value value = add_ids(shape, 1);
  inputs.back().ids = std::move(ids);
  return value;
}

Value OpCase::add_position(std::int64_t slice) { return add_longs(to_longs(kPosition, slice)); }

Value OpCase::add_segments(std::int64_t rows, std::int64_t tokens) {
  std::vector<std::int32_t> numbers;
  const auto half = static_cast<std::int32_t>(tokens / 2), second = static_cast<std::int32_t>(tokens - half);
  for (std::int32_t row = 0; row < rows; ++row) {
    numbers.insert(numbers.end(), {0, half, 2 * row + 1, second, half, 5 * row});
  }
  return add_segments(rows, std::move(numbers));
}

Value OpCase::add_whole_rows(std::int64_t rows, std::int64_t tokens) {
  const std::vector<std::int64_t> lengths(static_cast<std::size_t>(rows), tokens);
  return add_segments(rows, whole_rows(lengths));
}

Value OpCase::add_segments(std::int64_t rows, std::vector<std::int32_t> numbers) {
  inputs.emplace_back();
  inputs.back().ids = std::move(numbers);
  return graph.add_input({DType::i32, {rows, std::ssize(inputs.back().ids) / (3 * rows), 3}}, "segments");
}

Value OpCase::add_longs(std::vector<std::int64_t> numbers) {
  inputs.emplace_back();
  inputs.back().longs = std::move(numbers);
  return graph.add_input({DType::i64, {std::ssize(inputs.back().longs)}}, "numbers");
}

Value OpCase::add_given(const Shape& shape, std::span<const double> numbers) {
  inputs.emplace_back();
  for (double value : numbers) inputs.back().reals.push_back(static_cast<float>(value));
  return graph.add_input({DType::f32, shape}, "x");
}

void OpCase::add_output(Value value, double bound) {
  graph.outputs.push_back(value);
  bounds.push_back(bound);
}

void expect_fast_agrees(const OpCase& c) {
  SCOPED_TRACE(c.name);
  verify(c.graph);
  const auto inputs = convert<float>(c.inputs);
  const auto actual = run_graph(c.graph, inputs, 1);
  for (int team : {2, 3}) EXPECT_TRUE(run_graph(c.graph, inputs, team) == actual) << "on " << team << " threads";
  const auto expected = evaluate<double>(c.graph, c.inputs);
  for (std::size_t k = 0; k < expected.size(); ++k) {
    expect_within(actual[k].reals, expected[k].reals, Doubles(expected[k].reals.size(), c.bounds[k]));
    EXPECT_EQ(actual[k].ids, expected[k].ids);
    EXPECT_EQ(actual[k].longs, expected[k].longs);
    EXPECT_EQ(actual[k].bytes, expected[k].bytes);
  }
}

std::vector<double> autodiff_gradient(const OpCase& c, Value input) {
  Graph graph = c.graph;
  const Value y = graph.outputs[0];
  const Seed seed{y, graph.add_input(graph.spec(y), "dy")};
  graph.outputs = autodiff(graph, std::span(&seed, 1), std::span(&input, 1));
  verify(graph);
  std::vector<Elements<double>> inputs = c.inputs;
  inputs.emplace_back();
  inputs.back().reals = dy_of(c);
  return evaluate<double>(graph, inputs)[0].reals;
}

std::vector<double> complex_step_gradient(const OpCase& c, Value input) {
  const std::size_t number = number_of(c, input);
  std::vector<Elements<Complex>> inputs = convert<Complex>(c.inputs);
  const auto forward = [&](const std::vector<Complex>& x) {
    inputs[number].reals = x;
    return evaluate<Complex>(c.graph, inputs)[0].reals;
  };
  return complex_step_gradient(forward, c.inputs[number].reals, dy_of(c));
}

void expect_gradient_is_the_derivative(const OpCase& c) {
  SCOPED_TRACE(c.name);
  for (Value input : c.differentiable) {
    SCOPED_TRACE(fmt::format("by input {}", number_of(c, input)));
    expect_equal_gradients(c, autodiff_gradient(c, input), complex_step_gradient(c, input));
  }
}

// The roundings that gradient_bound counts happen in double here, and at most four times as often on the other side,
// where a product of complex numbers is four products.
void expect_equal_gradients(const OpCase& c, std::span<const double> actual, std::span<const double> expected) {
  ASSERT_EQ(actual.size(), expected.size());
  const double bound = (1 + 4) * c.gradient_bound * (kDoubleRoundoff / kRoundoff);
  for (std::size_t i = 0; i < actual.size(); ++i) ASSERT_NEAR(actual[i], expected[i], bound) << "at " << i;
}

}  // namespace phasor::test
