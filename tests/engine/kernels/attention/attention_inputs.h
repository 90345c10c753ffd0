// What the tests of attention and of its gradient share: cases, designed inputs, element types, and how exact a score
// can be.
#pragma once

#include <gtest/gtest.h>
#include <span>

#include "engine/kernels/reference/attention.h"
#include "tests/engine/kernels/packed_rows.h"
#include "tests/support/inputs.h"
#include "tests/support/stored.h"
#include "tests/support/tolerance.h"

namespace phasor::test {

using kernels::AttentionShape;

inline constexpr RandomPosition kPosition{.seed = 9, .step = 5, .first_sample = 2, .stage = 1};

struct AttentionCase {
  AttentionShape shape;
  PackedRows packed;
};
inline AttentionCase attention_case(AttentionShape shape, const PackedRows& packed) {
  shape.rows = packed.rows;
  shape.sequence = packed.sequence;
  return {shape, packed};
}

// Of all packed rows, of a whole row, and of segments around the borders of classes and of blocks of queries; each of
// them causal, too.
inline std::vector<AttentionCase> attention_cases() {
  std::vector<AttentionCase> cases;
  for (const PackedRows& packed : packed_rows())
    cases.push_back(attention_case({.heads = 3, .head_size = 5, .dropout_probability = 0.5f, .site = 3}, packed));
  cases.push_back(attention_case({.heads = 1, .head_size = 1}, packed_rows()[3]));
  cases.push_back(attention_case({.heads = 2, .head_size = 64, .dropout_probability = 0.1f, .site = 1},
                                 {.rows = 1, .sequence = 64, .numbers = {0, 64, 0}}));
  cases.push_back(attention_case(
      {.heads = 2, .head_size = 16},
      {.rows = 2, .sequence = 307, .numbers = {0, 307, 0, 0,  0,  0, 0,  0,  0, 0,  0,   0, 0,   0,   0,  // row 1
                                               0, 15,  3, 15, 16, 4, 33, 17, 1, 50, 128, 2, 178, 129, 5}}));
  cases.push_back(attention_case(
      {.heads = 1, .head_size = 4, .dropout_probability = 0.1f, .site = 4},
      {.rows = 3,
       .sequence = 391,
       .numbers = {0, 391, 2, 0, 0, 0, /* row 1 */ 3, 127, 0, 133, 257, 1, /* row 2 */ 0, 384, 3, 384, 1, 4}}));
  for (std::size_t i = 0, n = cases.size(); i < n; ++i) {
    cases.push_back(cases[i]);
    cases.back().shape.causal = true;
  }
  return cases;
}

// compute(case) has the same bits whether operands of bfloat16 are widened or not, where products are summed alike.
template <class Compute>
void same_when_widened(Compute compute) {
  for (AttentionCase c : attention_cases()) {
    c.shape.products = "reference";
    c.shape.operands = kernels::AttentionOperands::as_stored;
    const Floats expected = compute(c);
    c.shape.operands = kernels::AttentionOperands::as_float;
    EXPECT_TRUE(same_bits(compute(c), expected));
  }
}

inline std::size_t positions(const AttentionShape& s) { return s.rows * s.sequence; }
inline std::size_t out_size(const AttentionShape& s) { return positions(s) * s.heads * s.head_size; }

// What storing a number as T is off by, relative to it; nothing for the floats that come out of float arithmetic.
template <class T>
inline constexpr double kStorageRoundoff = 0;
template <>
inline constexpr double kStorageRoundoff<bfloat16> = 0x1p-8;

// Of e^x in a softmax whose result is stored as T.
template <class T>
inline constexpr double kSoftmaxRoundings = kExpRoundings;
template <>
inline constexpr double kSoftmaxRoundings<bfloat16> = kRoughExp2Roundings;

// run(scratch) with so much scratch, full of NaN; what lies around it must not change.
template <class Run>
void with_scratch(std::int64_t bytes, Run run) {
  constexpr std::int64_t kGuard = 64;
  Buffer<std::byte> memory(bytes + 2 * kGuard, std::byte{0xFF});
  run(std::span(memory).subspan(kGuard, bytes));
  for (std::int64_t i = 0; i < kGuard; ++i) {
    ASSERT_EQ(memory[i], std::byte{0xFF});
    ASSERT_EQ(memory[memory.size() - 1 - i], std::byte{0xFF});
  }
}

// Exact as T: the everyday case; scores in the hundreds; scores all tied.
template <class T>
std::vector<Floats> inputs(const AttentionCase& c) {
  const std::size_t count = 3 * out_size(c.shape);
  std::vector<Floats> all{uniform(1, count), uniform(2, count, -20, 20), Floats(count, 0.5f)};
  for (Floats& qkv : all) qkv = c.packed.spoiled(loaded(stored<T>(qkv)));
  return all;
}

// How far rounding can move a query's scores: each is an inner product of head_size terms, scaled, and its difference
// to the maximum (or to log_sum_exp) is rounded once more. For bfloat16 both are made exponents of 2 before, which
// rounds the factor of each.
template <class T>
double score_error(const reference::AttentionHead& at, std::int64_t query, const Floats& qkv, double subtracted) {
  constexpr double kOfDifference = std::is_same_v<T, float> ? 2 : 4;
  double worst = 0;
  for (std::int64_t key = 0; key < at.keys(query); ++key) {
    double size = 0;
    for (std::int64_t d = 0; d < at.shape.head_size; ++d)
      size += std::abs(double{qkv[at.q(query, d)]} * qkv[at.k(key, d)]);
    size *= reference::score_scale<double>(at.shape);
    worst = std::max(worst, rounding(static_cast<double>(at.shape.head_size) + 4) * size +
                                rounding(kOfDifference) * (size + std::abs(subtracted)));
  }
  return worst;
}

}  // namespace phasor::test
