// What attention and its gradient share: how a head's work is cut, and where a head's matrices lie.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstring>
#include <type_traits>

#include "engine/kernels/attention.h"
#include "engine/kernels/dropout.h"
#include "engine/kernels/product/product_backends.h"

namespace phasor::kernels {

// Scores are made for a block of queries against all keys: so many that they stay in the second-level cache, and never
// so few that preparing the keys for the product outweighs the product.
struct QueryBlocks {
  QueryBlocks(std::int64_t sequence, std::int64_t most_scores) {
    constexpr std::int64_t kLowest = 32;
    const std::int64_t wanted = std::max<std::int64_t>(1, (sequence * sequence + most_scores - 1) / most_scores);
    rows = std::max(kLowest, (sequence + wanted - 1) / wanted);
    rows = std::max<std::int64_t>(1, std::min(rows, sequence));
    count = (sequence + rows - 1) / rows;
    last_rows = sequence - (count - 1) * rows;
  }
  std::int64_t rows = 0;       // queries in a block
  std::int64_t count = 0;      // blocks
  std::int64_t last_rows = 0;  // queries in the last block
};

// One head of one sample: where its rows of head_size elements lie, of queries or keys from `first` on.
struct Head {
  enum Part { kQuery, kKey, kValue };

  const AttentionShape& shape;
  std::int64_t sample = 0, head = 0;

  // Within a tensor [batch, sequence, 3, heads, head_size].
  std::int64_t offset(Part part, std::int64_t first) const {
    return ((sample * shape.sequence + first) * 3 + part) * width() + head * shape.head_size;
  }
  // Within a tensor [batch, sequence, heads, head_size].
  std::int64_t offset(std::int64_t first) const {
    return (sample * shape.sequence + first) * width() + head * shape.head_size;
  }
  // Elements from one row to the next.
  std::int64_t width() const { return shape.heads * shape.head_size; }
  std::int64_t part_stride() const { return 3 * width(); }

  // Within a tensor [batch, sequence].
  const float* mask(std::span<const float> all) const { return all.data() + sample * shape.sequence; }

  // This head's first query within a tensor [batch, heads, sequence].
  std::int64_t first_query() const { return (sample * shape.heads + head) * shape.sequence; }

  // What dropout multiplies the query's probabilities by.
  void dropout_factors(const RandomSite& site, const DropoutRate& rate, std::int64_t query,
                       std::span<float> factors) const {
    kernels::dropout_factors(site, rate, sample, (head * shape.sequence + query) * shape.sequence, factors);
  }
};

inline float score_scale(const AttentionShape& shape) { return 1 / std::sqrt(static_cast<float>(shape.head_size)); }

// Hands out a worker's scratch, part after part.
class ScratchLayout {
 public:
  // Where a part of so many elements starts.
  template <class T>
  std::int64_t add(std::int64_t elements) {
    const std::int64_t start = bytes_;
    bytes_ += whole_lines(elements * static_cast<std::int64_t>(sizeof(T)));
    return start;
  }
  std::int64_t bytes() const { return bytes_; }

 private:
  std::int64_t bytes_ = 0;
};

// Rounds row i of a dense matrix of floats to T, to row i of a dense matrix of T that begins at the same place. Rows go
// in order: each takes the place of earlier ones. `buffer`: scratch of `columns` elements.
template <class T>
void round_row(float* matrix, std::int64_t i, std::int64_t columns, T* buffer) {
  if constexpr (!std::is_same_v<T, float>) {
    const float* const row = matrix + i * columns;
    for (std::int64_t j = 0; j < columns; ++j) buffer[j] = from_float<T>(row[j]);
    std::memcpy(reinterpret_cast<T*>(matrix) + i * columns, buffer, columns * sizeof(T));
  }
}

}  // namespace phasor::kernels
