// What the tests of attention and of its gradient share: shapes, designed inputs, element types, and how exact a score
// can be.
#pragma once

#include <gtest/gtest.h>
#include <span>

#include "engine/kernels/reference/attention.h"
#include "tests/support/inputs.h"
#include "tests/support/tolerance.h"

namespace phasor::test {

using kernels::AttentionShape;

inline constexpr RandomPosition kPosition{.seed = 9, .step = 5, .first_sample = 2, .stage = 1};

// Nothing, one key, primes, and more queries than a block of them holds.
inline constexpr AttentionShape kShapes[] = {
    {.batch = 0, .sequence = 5, .heads = 2, .head_size = 4},
    {.batch = 2, .sequence = 0, .heads = 2, .head_size = 4},
    {.batch = 1, .sequence = 1, .heads = 1, .head_size = 1},
    {.batch = 2, .sequence = 7, .heads = 3, .head_size = 5, .dropout_probability = 0.5f, .site = 3},
    {.batch = 3, .sequence = 17, .heads = 2, .head_size = 16},
    {.batch = 1, .sequence = 64, .heads = 2, .head_size = 64, .dropout_probability = 0.1f, .site = 1},
    {.batch = 1, .sequence = 307, .heads = 2, .head_size = 8, .dropout_probability = 0.25f, .site = 2},
    {.batch = 1, .sequence = 391, .heads = 1, .head_size = 4, .dropout_probability = 0.1f, .site = 4},
};

inline std::size_t positions(const AttentionShape& s) { return s.batch * s.sequence; }
inline std::size_t out_size(const AttentionShape& s) { return positions(s) * s.heads * s.head_size; }

// What storing a number as T is off by, relative to it; nothing for the floats that come out of float arithmetic.
template <class T>
inline constexpr double kStorageRoundoff = 0;
template <>
inline constexpr double kStorageRoundoff<bfloat16> = 0x1p-8;

using ElementTypes = testing::Types<float, bfloat16>;

template <class T>
Buffer<T> stored(const Floats& x) {
  Buffer<T> y(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) y[i] = from_float<T>(x[i]);
  return y;
}
template <class T>
Floats loaded(const Buffer<T>& x) {
  Floats y(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) y[i] = to_float(x[i]);
  return y;
}

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

struct Inputs {
  Floats qkv, mask;
};
// Exact as T. The everyday case; scores in the hundreds; scores all tied; all keys of a sample but one masked; and all
// masked.
template <class T>
std::vector<Inputs> inputs(const AttentionShape& s) {
  const std::size_t count = 3 * out_size(s);
  Floats one_left(positions(s), -10000.0f);
  for (std::size_t i = 0; i < one_left.size(); i += s.sequence) one_left[i + s.sequence / 2] = 0;
  std::vector<Inputs> all{{uniform(1, count), Floats(positions(s))},
                          {uniform(2, count, -20, 20), uniform(3, positions(s))},
                          {Floats(count, 0.5f), Floats(positions(s))},
                          {uniform(4, count), one_left},
                          {uniform(5, count), Floats(positions(s), -10000.0f)}};
  for (Inputs& in : all) in.qkv = loaded(stored<T>(in.qkv));
  return all;
}

// How far rounding can move a query's scores: each is an inner product of head_size terms, scaled, plus the mask, and
// its difference to the maximum (or to log_sum_exp) is rounded once more.
inline double score_error(const reference::AttentionHead& at, std::int64_t query, const Inputs& in, double subtracted) {
  double worst = 0;
  for (std::int64_t key = 0; key < at.shape.sequence; ++key) {
    double size = 0;
    for (std::int64_t d = 0; d < at.shape.head_size; ++d)
      size += std::abs(double{in.qkv[at.q(query, d)]} * in.qkv[at.k(key, d)]);
    size *= reference::score_scale<double>(at.shape);
    const double mask = std::abs(in.mask[at.mask(key)]);
    worst = std::max(worst, rounding(static_cast<double>(at.shape.head_size) + 4) * size +
                                rounding(2) * (size + mask + std::abs(subtracted)));
  }
  return worst;
}

}  // namespace phasor::test
