// What attention and its gradient share: how a head's work is cut, and where a head's matrices lie.
#pragma once

#include <algorithm>
#include <cmath>

#include "engine/kernels/attention.h"
#include "engine/kernels/dropout.h"
#include "engine/kernels/matrix.h"

namespace phasor::kernels {

// Scores are made for a block of queries against all keys. The block is as high as lets its scores stay in the
// second-level cache, and never so low that packing the keys for the product outweighs the product.
struct QueryBlocks {
  explicit QueryBlocks(std::int64_t sequence) {
    constexpr std::int64_t kScores = 1 << 16, kLowest = 16, kLine = 16;
    const std::int64_t wanted = std::max<std::int64_t>(1, (sequence * sequence + kScores - 1) / kScores);
    rows = std::max(kLowest, (sequence + wanted - 1) / wanted);
    count = (sequence + rows - 1) / rows;
    stride = (sequence + kLine - 1) / kLine * kLine;
  }
  std::int64_t rows = 0;    // queries in a block
  std::int64_t count = 0;   // blocks
  std::int64_t stride = 0;  // elements from one row of scores to the next: each starts a cache line

  std::int64_t elements() const { return rows * stride; }
};

// One head of one sample: its matrices [rows, head_size], of the queries or keys from `first` on.
struct Head {
  enum Part { kQuery, kKey, kValue };

  const AttentionShape& shape;
  std::int64_t sample = 0, head = 0;

  // Within a tensor [batch, sequence, 3, heads, head_size].
  ConstMatrix matrix(std::span<const float> qkv, Part part, std::int64_t first, std::int64_t rows) const {
    return {qkv.data() + offset(part, first), rows, shape.head_size, Stride(3 * width())};
  }
  Matrix matrix(std::span<float> dqkv, Part part, std::int64_t first, std::int64_t rows) const {
    return {dqkv.data() + offset(part, first), rows, shape.head_size, Stride(3 * width())};
  }

  // Within a tensor [batch, sequence, heads, head_size].
  ConstMatrix matrix(std::span<const float> out, std::int64_t first, std::int64_t rows) const {
    return {out.data() + offset(first), rows, shape.head_size, Stride(width())};
  }
  Matrix matrix(std::span<float> out, std::int64_t first, std::int64_t rows) const {
    return {out.data() + offset(first), rows, shape.head_size, Stride(width())};
  }

  // Within a tensor [batch, sequence].
  const float* mask(std::span<const float> all) const { return all.data() + sample * shape.sequence; }

  // This head's first query within a tensor [batch, heads, sequence].
  std::int64_t first_query() const { return (sample * shape.heads + head) * shape.sequence; }

  // What dropout multiplies the query's probabilities by.
  void dropout_factors(const RandomSite& site, const DropoutRate& rate, std::int64_t query,
                       std::span<float> factors) const {
    kernels::dropout_factors(site, rate, sample, (head * shape.sequence + query) * shape.sequence, factors);
  }

 private:
  std::int64_t width() const { return shape.heads * shape.head_size; }
  std::int64_t offset(std::int64_t first) const {
    return (sample * shape.sequence + first) * width() + head * shape.head_size;
  }
  std::int64_t offset(Part part, std::int64_t first) const {
    return ((sample * shape.sequence + first) * 3 + part) * width() + head * shape.head_size;
  }
};

inline float score_scale(const AttentionShape& shape) { return 1 / std::sqrt(static_cast<float>(shape.head_size)); }

}  // namespace phasor::kernels
