// What attention and its gradient share: how a segment's queries are cut into blocks, and what a block's scratch holds.
#pragma once

#include <algorithm>
#include <cstdint>

#include "engine/kernels/product/product_backends.h"

namespace phasor::kernels {

// Scores are made for a block of queries against all keys: so many that they stay in the second-level cache, and never
// so few that preparing the keys for the product outweighs the product. All blocks of a class have as many rows; those
// behind a segment's last query are zero.
struct QueryBlocks {
  QueryBlocks(std::int64_t size, std::int64_t most_scores) {
    constexpr std::int64_t kLowest = 32;
    const std::int64_t wanted = (size * size + most_scores - 1) / most_scores;
    rows = std::min(size, std::max(kLowest, (size + wanted - 1) / wanted));
  }
  std::int64_t count(std::int64_t queries) const { return (queries + rows - 1) / rows; }

  std::int64_t rows = 0;  // queries in a block
};

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

}  // namespace phasor::kernels
