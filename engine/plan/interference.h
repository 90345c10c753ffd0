// Which blocks are alive together, and how many bytes at most.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/plan/memory_plan.h"

namespace phasor {

// Takes memory for the ranges, and a bit for each pair of blocks where these are few: deep models have too many.
class Interference {
  static constexpr std::size_t kBits = 64;

 public:
  // Some of the blocks.
  class Set {
   public:
    explicit Set(std::size_t blocks) : words_((blocks + kBits - 1) / kBits) {}

    void add(int block) { words_[block / kBits] |= std::uint64_t{1} << (block % kBits); }
    void clear() { words_.assign(words_.size(), 0); }

   private:
    friend class Interference;

    std::vector<std::uint64_t> words_;  // a bit for each block
  };

  explicit Interference(const MemoryRequest& request);

  // Whether there is a time at which both are alive. Not of a block and itself.
  bool together(int a, int b) const {
    return words_ > 0 ? (pairs_[a * words_ + b / kBits] >> (b % kBits) & 1) != 0 : meet(a, b);
  }

  // Whether the block is alive together with any of these. Where there are too many blocks for bits, it may be.
  bool may_meet(int block, const Set& set) const {
    bool meets = words_ == 0;
    for (std::size_t word = 0; word < words_; ++word) meets |= (pairs_[block * words_ + word] & set.words_[word]) != 0;
    return meets;
  }

  // Sizes, added up, of the other blocks that live at a time between the block's first and its last.
  std::int64_t bytes_beside(int block) const { return bytes_beside_[block]; }

  // The largest sum of bytes alive at one time. Bytes count rounded up to kAlignment.
  std::int64_t lower_bound_bytes() const { return lower_bound_bytes_; }

 private:
  struct Span {
    int begin = 0, end = 0;
  };

  bool meet(int a, int b) const {
    if (hulls_[a].begin > hulls_[b].end || hulls_[b].begin > hulls_[a].end) return false;
    return (is_whole(a) && is_whole(b)) || spans_meet(a, b);
  }
  bool is_whole(int block) const { return first_span_[block + 1] - first_span_[block] == 1; }
  bool spans_meet(int a, int b) const;
  void note_pairs();
  void join_ranges(const MemoryRequest& request);
  void find_lower_bound(const MemoryRequest& request);
  void count_beside(const MemoryRequest& request);

  std::vector<Span> spans_;           // of all blocks, those of one in order and apart
  std::vector<int> first_span_;       // of each block; one more for the end
  std::vector<Span> hulls_;           // of each block: from its first time to its last
  std::vector<std::uint64_t> pairs_;  // of each block a row of bits, one for each block
  std::size_t words_ = 0;             // of a row; 0: there are too many blocks for rows
  std::vector<std::int64_t> bytes_beside_;
  std::int64_t lower_bound_bytes_ = 0;
};

}  // namespace phasor
