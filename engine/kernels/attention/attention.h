// Multi-head scaled dot-product self-attention within segments, with dropout on the probabilities, as one op: the
// [tokens, tokens] matrix of a segment exists only a block at a time. Vaswani et al., 2017; blocking and the recomputed
// backward as in Dao et al., "FlashAttention", 2022.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "engine/base/bfloat16.h"
#include "engine/base/random.h"
#include "engine/base/segments.h"

namespace phasor::kernels {

// What products take of T: as it is, or the same values in float.
enum class AttentionOperands : unsigned char { fastest, as_stored, as_float };

struct AttentionShape {
  std::int64_t rows = 0, sequence = 0, heads = 0, head_size = 0;
  bool causal = false;       // a query does not attend to keys behind it
  std::int64_t longest = 0;  // tokens of a segment, at most; 0: sequence
  float dropout_probability = 0;
  std::int64_t site = 0;      // of the dropout, whose elements are numbered [heads, longest, longest] in each sample
  std::string_view products;  // ProductShape::backend of its products
  AttentionOperands operands = AttentionOperands::fastest;

  std::int64_t most_tokens() const { return longest > 0 ? longest : sequence; }  // of a segment
};

// A query attends to the keys of its own segment or, where attention is causal, to those up to its own place: what lies
// above the diagonal is not computed but for parts of blocks (engine/base/ops/causal.h), and its probabilities are 0.
// In its sample's dropout, queries and keys count from the segment's first token; a sample's results are the same bits
// wherever in the rows it stands. What is padding has no influence, whatever it is, and comes out as 0.
//
// T, float or bfloat16, is the type of what is stored. Scores, sums, the softmax and its gradient are float;
// probabilities, and the gradient of scores, are rounded to T before they are multiplied further. Forward, that is
// before they are divided by their sum, as the result is instead.
// For float e^x is within 1 ulp, for bfloat16 within 2^-16 (simd/vector_math.h).
//
// qkv   [rows, sequence, 3, heads, head_size]: queries, keys, values
// segments: of [rows, sequence]
// out   [rows, sequence, heads, head_size] = dropout(softmax(q k' / sqrt(head_size))) v
// log_sum_exp [rows, heads, sequence]: of each query's scores; what the gradient needs to make them again
template <class T>
class Attention {
 public:
  // For teams of at most `workers` threads. Its products are prepared here (engine/kernels/product/product.h), for
  // segments of any length up to the longest; a longer one is an InternalError.
  Attention(const AttentionShape& shape, int workers);
  Attention(Attention&&) noexcept;
  ~Attention();

  std::int64_t scratch_bytes() const;  // of all workers

  // scratch: scratch_bytes() from a multiple of 64 on. One run at a time.
  void run(const RandomPosition& position, std::span<const T> qkv, const Segments& segments, std::span<T> out,
           std::span<float> log_sum_exp, std::span<std::byte> scratch) const;

 private:
  struct Prepared;
  template <class Multiplied>
  struct PreparedAs;
  std::unique_ptr<const Prepared> prepared_;
};

// dqkv from dout; p = exp(scores - log_sum_exp), P = dropout(p):
//   dv = P' dout,  dp = dropout(dout v'),  ds = p * (dp - sum over head_size of dout * out),
//   dq = ds k / sqrt(head_size),  dk = ds' q / sqrt(head_size).
// dk and dv are summed in float and rounded to T once.
template <class T>
class AttentionGradient {
 public:
  AttentionGradient(const AttentionShape& shape, int workers);
  AttentionGradient(AttentionGradient&&) noexcept;
  ~AttentionGradient();

  std::int64_t scratch_bytes() const;

  void run(const RandomPosition& position, std::span<const T> qkv, const Segments& segments, std::span<const T> out,
           std::span<const float> log_sum_exp, std::span<const T> dout, std::span<T> dqkv,
           std::span<std::byte> scratch) const;

 private:
  struct Prepared;
  template <class Multiplied>
  struct PreparedAs;
  std::unique_ptr<const Prepared> prepared_;
};

// scratch_bytes() of Attention<T>(shape, workers), and of its gradient, without preparing anything expensive.
template <class T>
std::int64_t attention_scratch_bytes(const AttentionShape& shape, int workers);
template <class T>
std::int64_t attention_gradient_scratch_bytes(const AttentionShape& shape, int workers);

}  // namespace phasor::kernels
