// What attention and its gradient share: how a segment's queries are cut into blocks.
#pragma once

#include <algorithm>
#include <cstdint>

#include "engine/base/ops/causal.h"

namespace phasor::kernels {

// Queries from `first` on that are multiplied together, and how many keys, from the segment's first on, with.
struct QueryBlock {
  std::int64_t first = 0, rows = 0, keys = 0;
};

// Of a class of segments (size_classes.h). Scores are made for a block of queries against all keys: so many that
// they stay in the second-level cache, and never so few that preparing the keys for the product outweighs the product.
// All blocks have as many rows; those behind a segment's last query are zero.
//
// Where a query sees no key behind it, a block has the keys up to its last query, and the last block of a class ends
// with it. Blocks of the same size are then found in many classes, and gathering keys would take longer than in other
// attention beside what is computed with them, so that blocks share them.
struct QueryBlocks {
  QueryBlocks(std::int64_t class_size, std::int64_t most_scores, bool is_causal) : size(class_size), causal(is_causal) {
    constexpr std::int64_t kLowest = 32;
    const std::int64_t wanted = (size * size + most_scores - 1) / most_scores;
    rows = std::min(size, causal ? kCausalQueries : std::max(kLowest, (size + wanted - 1) / wanted));
    if (causal) of_a_group = 4;
  }
  std::int64_t count(std::int64_t queries) const { return (queries + rows - 1) / rows; }
  // Groups of neighbouring blocks, for which keys are gathered once: those of the last, the first of which the others
  // have.
  std::int64_t groups(std::int64_t queries) const { return (count(queries) + of_a_group - 1) / of_a_group; }
  QueryBlock at(std::int64_t n) const {
    const std::int64_t first = n * rows;
    if (!causal) return {first, rows, size};
    const std::int64_t queries = std::min(rows, size - first);
    return {first, queries, first + queries};
  }

  std::int64_t size;
  bool causal;
  std::int64_t rows = 0;        // queries in a block, at most
  std::int64_t of_a_group = 1;  // blocks
};

}  // namespace phasor::kernels
