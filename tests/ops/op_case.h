// One op on designed inputs: enough to prove the kernel behind it, its adapter, and its gradient rule.
#pragma once

#include <string>

#include "engine/base/random.h"
#include "engine/ir/builder.h"
#include "tests/support/elements.h"
#include "tests/support/tolerance.h"

namespace phasor::test {

inline constexpr RandomPosition kPosition{.seed = 9, .step = 5, .first_sample = 2, .stage = 1};

struct OpCase {
  std::string name;
  Graph graph;
  std::vector<Elements<double>> inputs;  // of the graph, in order; every number is a float
  std::vector<double> bounds;            // of each output: how far an element computed in float can be off

  // Of the first output: the inputs by which it is differentiated, and how far that can be off in float.
  std::vector<Value> differentiable;
  double gradient_bound = 0;

  Builder builder() { return Builder(graph); }
  // Inputs: reals uniform in [low, high), ids in [0, end), kPosition of a slice, segments, given numbers, and integers.
  Value add_reals(const Shape& shape, float low = -1, float high = 1);
  Value add_ids(const Shape& shape, std::int32_t end);
  Value add_given_ids(const Shape& shape, std::vector<std::int32_t> ids);
  Value add_position(std::int64_t slice = 0);
  // Of `rows` rows of so many tokens: two segments a row, apart where the row has an odd number of tokens.
  Value add_segments(std::int64_t rows, std::int64_t tokens);
  // One, of all tokens.
  Value add_whole_rows(std::int64_t rows, std::int64_t tokens);
  Value add_given(const Shape& shape, std::span<const double> numbers);
  Value add_longs(std::vector<std::int64_t> numbers);
  void add_output(Value value, double bound);

 private:
  Value add_segments(std::int64_t rows, std::vector<std::int32_t> numbers);
};

// The fast kernel gives the same bits on 1, 2 and 3 threads, and what the reference gives in double.
void expect_fast_agrees(const OpCase& c);

// The gradient of sum over elements of y dy by `input`, for some dy: as autodiff writes it, and by complex step.
std::vector<double> autodiff_gradient(const OpCase& c, Value input);
std::vector<double> complex_step_gradient(const OpCase& c, Value input);

// They agree for every differentiable input.
void expect_gradient_is_the_derivative(const OpCase& c);
void expect_equal_gradients(const OpCase& c, std::span<const double> actual, std::span<const double> expected);

// The cases of each family. Every op is in one (coverage_test.cpp).
std::vector<OpCase> matmul_cases();
std::vector<OpCase> elementwise_cases();
std::vector<OpCase> gelu_cases();
std::vector<OpCase> relu_cases();
std::vector<OpCase> dropout_cases();
std::vector<OpCase> norm_cases();
std::vector<OpCase> embedding_cases();
std::vector<OpCase> attention_cases();
std::vector<OpCase> convolution_cases();
std::vector<OpCase> pooling_cases();
std::vector<OpCase> loss_cases();
std::vector<OpCase> vocabulary_cases();
std::vector<OpCase> layout_cases();
std::vector<OpCase> optimizer_cases();

}  // namespace phasor::test
