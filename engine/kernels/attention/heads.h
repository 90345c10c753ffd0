// A head of a segment: where its matrices lie, how they come into dense scratch and back, and how the work on all of
// them is spread over the team.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstring>
#include <type_traits>

#include "engine/base/error.h"
#include "engine/base/segments.h"
#include "engine/kernels/attention/attention.h"
#include "engine/kernels/dropout.h"
#include "engine/kernels/simd/pieces.h"
#include "engine/kernels/token_runs.h"

namespace phasor::kernels {

// Queries and keys, `first` too, count from the segment's first token.
struct Head {
  enum Part { kQuery, kKey, kValue };

  const AttentionShape& shape;
  Segment segment;
  std::int64_t head = 0;

  // Within a tensor [rows, sequence, 3, heads, head_size].
  std::int64_t offset(Part part, std::int64_t first) const {
    return (token(first) * 3 + part) * width() + head * shape.head_size;
  }
  // Within a tensor [rows, sequence, heads, head_size].
  std::int64_t offset(std::int64_t first) const { return token(first) * width() + head * shape.head_size; }
  // Elements from one token to the next.
  std::int64_t width() const { return shape.heads * shape.head_size; }
  std::int64_t part_stride() const { return 3 * width(); }

  // Within a tensor [rows, heads, sequence].
  std::int64_t of_query(std::int64_t query) const {
    return (segment.row * shape.heads + head) * shape.sequence + segment.first + query;
  }

  // The random bits of the query's probabilities of the first keys (DropoutRate).
  void dropout_bits(const RandomSite& site, std::int64_t query, std::span<std::uint16_t> bits) const {
    const std::int64_t most = shape.most_tokens();
    site.fill(segment.sample, (head * most + query) * most, bits);
  }

 private:
  std::int64_t token(std::int64_t first) const { return segment.row * shape.sequence + segment.first + first; }
};

inline float score_scale(const AttentionShape& shape) { return 1 / std::sqrt(static_cast<float>(shape.head_size)); }

// Rows of a dense matrix: so many that are filled, and zeros behind them. Scores with a key behind the last are then 0,
// and add nothing to a product.
struct FilledRows {
  std::int64_t filled = 0, all = 0;
};

template <class T>
void clear_behind(FilledRows rows, std::int64_t columns, T* matrix) {
  std::fill(matrix + rows.filled * columns, matrix + rows.all * columns, T{});
}

// Fetches what a loop reads in its next turn, of which processors know nothing where rows lie far apart.
template <class T>
void prefetch(const T* from, std::int64_t count) {
  constexpr std::int64_t kLine = 64 / sizeof(T);
  for (std::int64_t i = 0; i < count; i += kLine) __builtin_prefetch(from + i);
}

// Rows of a head from a tensor that holds them `stride` apart, one after the other, widened where they become floats.
template <class T, class To>
void gather(const T* from, std::int64_t stride, FilledRows rows, std::int64_t columns, To* to) {
  constexpr std::int64_t kAhead = 8;  // rows, which arrive while so many are copied
  for (std::int64_t i = 0; i < rows.filled; ++i) {
    if (i + kAhead < rows.filled) prefetch(from + (i + kAhead) * stride, columns);
    if constexpr (std::is_same_v<T, To>) {
      std::memcpy(to + i * columns, from + i * stride, static_cast<std::size_t>(columns) * sizeof(T));
    } else {
      for (std::int64_t j = 0; j < columns; ++j) to[i * columns + j] = to_float(from[i * stride + j]);
    }
  }
  clear_behind(rows, columns, to);
}

// And back, rounded to T where they are floats.
template <class From, class T>
void scatter(const From* from, std::int64_t rows, std::int64_t columns, T* to, std::int64_t stride) {
  for (std::int64_t i = 0; i < rows; ++i)
    for (std::int64_t j = 0; j < columns; ++j) to[i * stride + j] = from_float<T>(to_float(from[i * columns + j]));
}

// The same, each row times its factor.
template <class T>
void scatter(const float* from, const float* factors, std::int64_t rows, std::int64_t columns, T* to,
             std::int64_t stride) {
  for (std::int64_t i = 0; i < rows; ++i)
    for (std::int64_t j = 0; j < columns; ++j) to[i * stride + j] = from_float<T>(from[i * columns + j] * factors[i]);
}

// Calls use(head, block, worker) for the blocks of each head of each segment, of which a segment has
// blocks_of(tokens), on the team.
template <class BlocksOf, class Use>
void for_segment_blocks(const AttentionShape& shape, const Segments& segments, BlocksOf blocks_of, Use use) {
  std::int64_t most_segments = 0, most_blocks = 0;  // of a row, of a segment
  for (std::int64_t row = 0; row < segments.rows(); ++row)
    for (std::int64_t n = 0; n < segments.of_a_row(); ++n) {
      const Segment segment = segments.at(row, n);
      if (segment.tokens == 0) break;
      ensure(segment.tokens <= shape.most_tokens(), "attention: a segment of {} tokens, at most {} are expected",
             segment.tokens, shape.most_tokens());
      most_segments = std::max(most_segments, n + 1);
      most_blocks = std::max<std::int64_t>(most_blocks, blocks_of(segment.tokens));
    }
  parallel_for(segments.rows() * most_segments * shape.heads * most_blocks, [&](std::int64_t piece, int worker) {
    const std::int64_t instance = piece / most_blocks, block = piece % most_blocks, slot = instance / shape.heads;
    const Segment segment = segments.at(slot / most_segments, slot % most_segments);
    if (segment.tokens > 0 && block < blocks_of(segment.tokens))
      use(Head{shape, segment, instance % shape.heads}, block, worker);
  });
}

// Calls use(row, first, tokens) for what is padding, on the team.
template <class Use>
void for_padding(const Segments& segments, Use use) {
  parallel_for(segments.rows(), [&](std::int64_t row) {
    for_token_runs(segments, row, 0, segments.sequence(),
                   [&](const Segment& segment, std::int64_t first, std::int64_t tokens) {
                     if (segment.tokens == 0) use(row, first, tokens);
                   });
  });
}

}  // namespace phasor::kernels
