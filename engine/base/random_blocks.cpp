#include "engine/base/random_blocks.h"

#include <hwy/highway.h>

namespace phasor {

namespace {

namespace hn = hwy::HWY_NAMESPACE;

// A word of several blocks, one to a lane. It lies in the lane's lower half, as the product of 32 by 32 bits wants it;
// the upper half holds what is left over and is never looked at.
constexpr hn::CappedTag<std::uint64_t, 8> kLanes;
constexpr hn::Repartition<std::uint32_t, decltype(kLanes)> kHalves;
using Word = hn::Vec<decltype(kLanes)>;

// A round waits for the one before: so many vectors of blocks take turns.
constexpr std::size_t kVectors = hn::MaxLanes(kLanes) == 8 ? 2 : 4;
static_assert(kRandomBlockLanes % (kVectors * hn::MaxLanes(kLanes)) == 0);

Word multiply(Word a, std::uint32_t b) {
  return hn::MulEven(hn::BitCast(kHalves, a), hn::BitCast(kHalves, hn::Set(kLanes, b)));
}

// Two words that follow each other in memory.
Word joined(Word first, Word second) {
  return hn::BitCast(kLanes, hn::OddEven(hn::BitCast(kHalves, hn::ShiftLeft<32>(second)), hn::BitCast(kHalves, first)));
}

// A block in each lane.
struct Blocks {
  Word word0, word1, word2, word3;

  // See random_block.
  void next_round(std::uint32_t key0, std::uint32_t key1) {
    const Word product0 = multiply(word0, 0xD2511F53), product1 = multiply(word2, 0xCD9E8D57);
    word0 = hn::Xor3(hn::ShiftRight<32>(product1), word1, hn::Set(kLanes, key0));
    word1 = product1;
    word2 = hn::Xor3(hn::ShiftRight<32>(product0), word3, hn::Set(kLanes, key1));
    word3 = product0;
  }

  void store(RandomBlock* blocks) const {
    hn::StoreInterleaved2(joined(word0, word1), joined(word2, word3), kLanes, reinterpret_cast<std::uint64_t*>(blocks));
  }
};

}  // namespace

void random_blocks(std::uint64_t seed, const RandomBlock& counter, std::span<RandomBlock> blocks) {
  const std::size_t lanes = hn::Lanes(kLanes);
  Word next = hn::Iota(kLanes, counter[0]);
  for (std::size_t i = 0; i < blocks.size(); i += kVectors * lanes) {
    Blocks vectors[kVectors];
#pragma GCC unroll 4
    for (Blocks& x : vectors) {
      x = {next, hn::Set(kLanes, counter[1]), hn::Set(kLanes, counter[2]), hn::Set(kLanes, counter[3])};
      next = hn::Add(next, hn::Set(kLanes, lanes));
    }
    auto key0 = static_cast<std::uint32_t>(seed), key1 = static_cast<std::uint32_t>(seed >> 32);
#pragma GCC unroll 10
    for (int round = 0; round < 10; ++round) {
#pragma GCC unroll 4
      for (Blocks& x : vectors) x.next_round(key0, key1);
      key0 += 0x9E3779B9;
      key1 += 0xBB67AE85;
    }
#pragma GCC unroll 4
    for (std::size_t vector = 0; vector < kVectors; ++vector) vectors[vector].store(&blocks[i + vector * lanes]);
  }
}

}  // namespace phasor
