// The sizes of segments that attention's products are prepared for: a segment of any length is rounded up to one of
// few, and everything that decides about its bits follows from that.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "engine/kernels/attention/attention.h"
#include "engine/kernels/attention/query_blocks.h"

namespace phasor::kernels {

// The smallest class that holds so many tokens, at least one. Multiples of 16, and above 128 eight classes a doubling:
// less than an eighth is rounded up.
inline std::int64_t class_size(std::int64_t tokens) {
  constexpr std::int64_t kLeast = 16;
  const auto doubling = static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(tokens)));
  const std::int64_t step = std::max(kLeast, doubling / 16);
  return (tokens + step - 1) / step * step;
}

// Calls use(size) for the classes of segments of at most so many tokens, ascending.
template <class Use>
void for_class_sizes(std::int64_t most_tokens, Use use) {
  for (std::int64_t tokens = 1; tokens <= most_tokens; tokens = class_size(tokens) + 1) use(class_size(tokens));
}

// What is prepared for each class. Blocks of the same size, of whatever class, share their Products, which are made of
// (shape, block, workers) and tell their scratch_bytes(). A Layout of a worker's scratch, of so many `bytes`, is made
// of (shape, the class's blocks, the most scratch that a product takes).
template <class Products, class Layout>
class SizeClasses {
 public:
  struct Class {
    std::int64_t size;
    QueryBlocks blocks;
    std::vector<const Products*> products;  // of each block
    Layout scratch;
  };

  SizeClasses(const AttentionShape& shape, std::int64_t most_scores, int workers) {
    for_class_sizes(shape.most_tokens(), [&](std::int64_t size) {
      const QueryBlocks blocks(size, most_scores, shape.causal);
      std::vector<const Products*> of_blocks;
      std::int64_t product_bytes = 0;
      for (std::int64_t n = 0; n < blocks.count(size); ++n) {
        const QueryBlock block = blocks.at(n);
        const auto [made, is_new] = products_.try_emplace({block.rows, block.keys}, shape, block, workers);
        of_blocks.push_back(&made->second);
        product_bytes = std::max(product_bytes, made->second.scratch_bytes());
      }
      classes_.push_back({size, blocks, std::move(of_blocks), Layout(shape, blocks, product_bytes)});
      worker_bytes_ = std::max(worker_bytes_, classes_.back().scratch.bytes);
    });
  }

  const Class& of(std::int64_t tokens) const {
    return *std::ranges::lower_bound(classes_, tokens, std::ranges::less(), &Class::size);
  }
  std::int64_t worker_bytes() const { return worker_bytes_; }  // scratch of a worker, whatever the class

 private:
  std::map<std::pair<std::int64_t, std::int64_t>, Products> products_;  // by the queries and keys of their blocks
  std::vector<Class> classes_;
  std::int64_t worker_bytes_ = 0;
};

}  // namespace phasor::kernels
