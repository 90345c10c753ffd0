// Which two tokens merge, at which rank, into what.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "io/byte_pair/byte_pair_vocabulary.h"

namespace phasor::io {

// A hash table with open addressing. Immutable: any number of threads may search it.
class MergeTable {
 public:
  static constexpr std::uint32_t kNoRank = std::numeric_limits<std::uint32_t>::max();

  struct Found {
    std::uint32_t rank = kNoRank;  // kNoRank: the two do not merge
    std::int32_t result = -1;
  };

  explicit MergeTable(std::span<const BytePairMerge> merges);

  Found find(std::int32_t left, std::int32_t right) const {
    const std::uint64_t pair = pair_of(left, right);
    for (std::size_t slot = place_of(pair);; slot = (slot + 1) & mask_) {
      if (slots_[slot].pair == pair || slots_[slot].found.rank == kNoRank) return slots_[slot].found;
    }
  }

 private:
  static constexpr std::uint64_t kNoPair = std::numeric_limits<std::uint64_t>::max();

  struct Slot {
    std::uint64_t pair = kNoPair;
    Found found;
  };

  static std::uint64_t pair_of(std::int32_t left, std::int32_t right) {
    return static_cast<std::uint64_t>(left) << 32 | static_cast<std::uint32_t>(right);
  }
  // Fibonacci hashing: the upper bits of a product with 2^64 over the golden ratio.
  std::size_t place_of(std::uint64_t pair) const { return (pair * 0x9E3779B97F4A7C15) >> shift_; }

  std::vector<Slot> slots_;
  std::size_t mask_;
  int shift_;
};

}  // namespace phasor::io
