// Multi-head scaled dot-product self-attention with a key mask and dropout on the probabilities, as one op: the
// [sequence, sequence] matrix exists only a block at a time. Vaswani et al., 2017; blocking and the recomputed backward
// as in Dao et al., "FlashAttention", 2022.
#pragma once

#include <cstdint>
#include <span>

#include "engine/base/random.h"

namespace phasor::kernels {

struct AttentionShape {
  std::int64_t batch = 0, sequence = 0, heads = 0, head_size = 0;
  float dropout_probability = 0;
  std::int64_t site = 0;  // of the dropout; its elements are numbered [heads, query, key] within a sample
};

// qkv   [batch, sequence, 3, heads, head_size]: queries, keys, values
// mask  [batch, sequence]: added to the scores of that key; 0 to attend, a large negative number not to
// out   [batch, sequence, heads, head_size] = dropout(softmax(q k' / sqrt(head_size) + mask)) v
// log_sum_exp [batch, heads, sequence]: of each query's masked scores; what the gradient needs to make them again
// scratch: attention_scratch(shape, threads()) elements.
void attention(const AttentionShape& shape, const RandomPosition& position, std::span<const float> qkv,
               std::span<const float> mask, std::span<float> out, std::span<float> log_sum_exp,
               std::span<float> scratch);

// dqkv from dout; p = exp(scores - log_sum_exp), P = dropout(p):
//   dv = P' dout,  dp = dropout(dout v'),  ds = p * (dp - sum over head_size of dout * out),
//   dq = ds k / sqrt(head_size),  dk = ds' q / sqrt(head_size).
// scratch: attention_gradient_scratch(shape, threads()) elements.
void attention_gradient(const AttentionShape& shape, const RandomPosition& position, std::span<const float> qkv,
                        std::span<const float> mask, std::span<const float> out, std::span<const float> log_sum_exp,
                        std::span<const float> dout, std::span<float> dqkv, std::span<float> scratch);

// Elements of scratch when the caller runs on `threads` threads.
std::int64_t attention_scratch(const AttentionShape& shape, int threads);
std::int64_t attention_gradient_scratch(const AttentionShape& shape, int threads);

}  // namespace phasor::kernels
