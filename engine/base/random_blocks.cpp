#include "engine/base/random_blocks.h"

#include <hwy/highway.h>

namespace phasor {

namespace {

namespace hn = hwy::HWY_NAMESPACE;

// A word of several blocks, one to a lane. It lies in the lane's lower half, as the product of 32 by 32 bits wants it;
// the upper half holds what is left over and is never looked at.
constexpr hn::CappedTag<std::uint64_t, kRandomBlockLanes> kLanes;
constexpr hn::Repartition<std::uint32_t, decltype(kLanes)> kHalves;
using Word = hn::Vec<decltype(kLanes)>;

Word multiply(Word a, Word b) { return hn::MulEven(hn::BitCast(kHalves, a), hn::BitCast(kHalves, b)); }

// Two words that follow each other in memory.
Word joined(Word first, Word second) {
  return hn::BitCast(kLanes, hn::OddEven(hn::BitCast(kHalves, hn::ShiftLeft<32>(second)), hn::BitCast(kHalves, first)));
}

}  // namespace

// See random_block for the rounds.
void random_blocks(std::uint64_t seed, const RandomBlock& counter, std::span<RandomBlock> blocks) {
  Word first = hn::Iota(kLanes, counter[0]);
  for (std::size_t i = 0; i < blocks.size(); i += hn::Lanes(kLanes)) {
    Word word0 = first, word1 = hn::Set(kLanes, counter[1]);
    Word word2 = hn::Set(kLanes, counter[2]), word3 = hn::Set(kLanes, counter[3]);
    auto key0 = static_cast<std::uint32_t>(seed), key1 = static_cast<std::uint32_t>(seed >> 32);
#pragma GCC unroll 10
    for (int round = 0; round < 10; ++round) {
      const Word product0 = multiply(word0, hn::Set(kLanes, 0xD2511F53));
      const Word product1 = multiply(word2, hn::Set(kLanes, 0xCD9E8D57));
      word0 = hn::Xor3(hn::ShiftRight<32>(product1), word1, hn::Set(kLanes, key0));
      word1 = product1;
      word2 = hn::Xor3(hn::ShiftRight<32>(product0), word3, hn::Set(kLanes, key1));
      word3 = product0;
      key0 += 0x9E3779B9;
      key1 += 0xBB67AE85;
    }
    hn::StoreInterleaved2(joined(word0, word1), joined(word2, word3), kLanes,
                          reinterpret_cast<std::uint64_t*>(blocks.data() + i));
    first = hn::Add(first, hn::Set(kLanes, hn::Lanes(kLanes)));
  }
}

}  // namespace phasor
