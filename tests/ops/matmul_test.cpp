#include "engine/runtime/packing.h"
#include "tests/ops/op_case.h"

namespace phasor::test {

namespace {

constexpr std::int64_t kM = 6, kN = 10, kK = 4;

// A matrix, or the same rows in two equal parts.
Shape matrix(std::int64_t rows, std::int64_t columns, int rank) {
  return rank == 2 ? Shape{rows, columns} : Shape{2, rows / 2, columns};
}

// Each element is an inner product of k terms in [-1, 1].
constexpr double product_bound(std::int64_t k) { return static_cast<double>(k) * rounding(static_cast<double>(k)); }

OpCase matmul_case(int rank_a, int rank_b, MatmulAttributes attributes) {
  const bool ta = attributes.transpose_a, tb = attributes.transpose_b;
  OpCase c;
  c.name = fmt::format("ranks {} and {}, transpose_a {}, transpose_b {}", rank_a, rank_b, ta, tb);
  const Value a = c.add_reals(ta ? matrix(kK, kM, rank_a) : matrix(kM, kK, rank_a));
  const Value b = c.add_reals(tb ? matrix(kN, kK, rank_b) : matrix(kK, kN, rank_b));
  c.add_output(c.builder().matmul(a, b, attributes), product_bound(kK));
  c.differentiable = {a, b};
  c.gradient_bound = product_bound(kN);  // the longest of the gradients' inner products
  return c;
}

OpCase biased_case() {
  OpCase c;
  c.name = "with a bias";
  const Value a = c.add_reals(matrix(kM, kK, 3)), b = c.add_reals({kN, kK}), bias = c.add_reals({kN});
  c.add_output(c.builder().matmul(a, b, {.transpose_b = true}, bias), (kK + 1) * rounding(kK + 1));
  c.differentiable = {a, b, bias};
  c.gradient_bound = product_bound(kN);
  return c;
}

// Two operands packed in one node, each multiplied. Where nothing is gained by packing, no room is asked for, and the
// case is one of plain products.
OpCase packed_case() {
  constexpr std::int64_t kManyRows = 70, kPackedColumns = 128, kInner = kLeastPacked;
  OpCase c;
  c.name = "packed";
  const Value a = c.add_reals({kManyRows, kInner});
  const Value plain = c.add_reals({kInner, kPackedColumns}), transposed = c.add_reals({kPackedColumns, kInner});
  const std::int64_t plain_elements = packed_elements(c.graph.spec(plain), false);
  const std::int64_t transposed_elements = packed_elements(c.graph.spec(transposed), true);
  if (plain_elements == 0 || transposed_elements == 0) {
    c.add_output(c.builder().matmul(a, plain), product_bound(kInner));
    return c;
  }
  const auto packed = c.builder().pack({plain, transposed}, {{{false, plain_elements}, {true, transposed_elements}}});
  c.add_output(c.builder().matmul(a, packed[0], {.packed_columns = kPackedColumns}), product_bound(kInner));
  c.add_output(c.builder().matmul(a, packed[1], {.transpose_b = true, .packed_columns = kPackedColumns}),
               product_bound(kInner));
  return c;
}

OpCase matmul_add_case(bool transpose_a) {
  OpCase c;
  c.name = fmt::format("matmul_add, transpose_a {}", transpose_a);
  const Value sum = c.add_reals({kM, kN});
  const Value a = c.add_reals(transpose_a ? Shape{kK, kM} : Shape{kM, kK}), b = c.add_reals({kK, kN});
  c.add_output(c.builder().matmul_add(sum, a, b, {.transpose_a = transpose_a}), (kK + 1) * rounding(kK + 1));
  return c;
}

}  // namespace

std::vector<OpCase> matmul_cases() {
  std::vector<OpCase> cases{biased_case(), packed_case(), matmul_add_case(false), matmul_add_case(true)};
  for (int rank_a : {2, 3})
    for (int rank_b : {2, 3})
      for (bool ta : {false, true})
        for (bool tb : {false, true}) {
          cases.push_back(matmul_case(rank_a, rank_b, {.transpose_a = ta, .transpose_b = tb}));
        }
  return cases;
}

namespace {

TEST(MatmulOp, FastAgreesWithReference) {
  for (const OpCase& c : matmul_cases()) expect_fast_agrees(c);
}

TEST(MatmulOp, GradientIsTheDerivative) {
  for (const OpCase& c : matmul_cases()) expect_gradient_is_the_derivative(c);
}

}  // namespace
}  // namespace phasor::test
