// Causal self-attention of new tokens on all tokens of their sequence so far, whose keys and values are kept: what
// generating text asks of a layer. Vaswani et al., 2017.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "engine/base/bfloat16.h"

namespace phasor::kernels {

// A sequence a row, of at most `room` tokens, of which up to `tokens` are new.
struct CachedAttentionShape {
  std::int64_t rows = 0, tokens = 0, room = 0, heads = 0, head_size = 0;
};

// Writes the keys and values of the new tokens to their places in the cache; each token then attends to those at places
// up to its own. A token's result has the same bits whatever else its row or the others hold, and however many tokens
// are new with it.
//
// T, float or bfloat16, is the type of what is stored; everything is summed in float.
//
// qkv     [rows, tokens, 3, heads, head_size]: queries, keys, values
// places  [rows, tokens]: of each new token in its sequence, from 0 on; one outside the room is our own error
// last    [rows]: the last token of the row that is new; tokens behind it are nobody's, -1: all are. They write
//         nothing and come out as 0
// cache   [rows, room, 2, heads, head_size]: keys, values
// out     [rows, tokens, heads, head_size] = softmax(q k' / sqrt(head_size)) v
// scratch: attention_cached_scratch_bytes() from a multiple of 64 on
template <class T>
void attention_cached(const CachedAttentionShape& shape, std::span<const T> qkv, std::span<const std::int32_t> places,
                      std::span<const std::int32_t> last, std::span<T> cache, std::span<T> out,
                      std::span<std::byte> scratch);

// For teams of at most `workers` threads.
std::int64_t attention_cached_scratch_bytes(const CachedAttentionShape& shape, int workers);

}  // namespace phasor::kernels
