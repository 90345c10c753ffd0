#include "engine/kernels/attention.h"
#include "engine/kernels/attention_blocks.h"
#include "engine/kernels/lanes.h"
#include "engine/kernels/pieces.h"
#include "engine/kernels/vector_math.h"

namespace phasor::kernels {

namespace {

// One query's row. On entry: scores = q k', dropped = dout v', the gradient of the dropped probabilities.
// p = exp(scores * scale + mask - log_sum_exp);  on return: scores = P = p * factors,
// dropped = ds * scale = p * (dropped * factors - inner) * scale, what dq and dk are made of.
struct QueryRow {
  float scale, log_sum_exp;
  float inner;  // sum over head_size of dout * out
};
void gradient_row(QueryRow query, const float* mask, const float* factors, std::int64_t keys, float* scores,
                  float* dropped) {
#pragma GCC ivdep
  for (std::int64_t j = 0; j < keys; ++j) {
    const float p = vector_exp(std::fma(scores[j], query.scale, mask[j]) - query.log_sum_exp);
    scores[j] = p * factors[j];
    dropped[j] = p * (dropped[j] * factors[j] - query.inner) * query.scale;
  }
}

// A worker's scratch: scores and their gradient of a block, and a row of dropout factors.
std::int64_t worker_elements(const QueryBlocks& blocks) { return 2 * blocks.elements() + blocks.stride; }

}  // namespace

// A head's blocks run one after the other, so that dk and dv are summed in a fixed order.
void attention_gradient(const AttentionShape& shape, const RandomPosition& position, std::span<const float> qkv,
                        std::span<const float> mask, std::span<const float> out, std::span<const float> log_sum_exp,
                        std::span<const float> dout, std::span<float> dqkv, std::span<float> scratch) {
  const QueryBlocks blocks(shape.sequence);
  const RandomSite site(position, shape.site);
  const DropoutRate rate(shape.dropout_probability);
  const std::int64_t keys = shape.sequence;

  parallel_for(shape.batch * shape.heads, [&](std::int64_t instance, int worker) {
    const Head head{shape, instance / shape.heads, instance % shape.heads};
    float* const block = scratch.data() + worker * worker_elements(blocks);
    float* const dblock = block + blocks.elements();
    const std::span factors(dblock + blocks.elements(), static_cast<std::size_t>(keys));
    std::fill(factors.begin(), factors.end(), 1.0f);

    const ConstMatrix k = head.matrix(qkv, Head::kKey, 0, keys), v = head.matrix(qkv, Head::kValue, 0, keys);
    Matrix dk = head.matrix(dqkv, Head::kKey, 0, keys), dv = head.matrix(dqkv, Head::kValue, 0, keys);
    dk.setZero();
    dv.setZero();
    for (std::int64_t first = 0; first < shape.sequence; first += blocks.rows) {
      const std::int64_t rows = std::min(blocks.rows, shape.sequence - first);
      const ConstMatrix q = head.matrix(qkv, Head::kQuery, first, rows);
      const ConstMatrix y = head.matrix(out, first, rows), dy = head.matrix(dout, first, rows);
      Matrix scores(block, rows, keys, Stride(blocks.stride));    // [query, key], soon the dropped probabilities
      Matrix dscores(dblock, rows, keys, Stride(blocks.stride));  // [query, key]
      scores.noalias() = q * k.transpose();
      dscores.noalias() = dy * v.transpose();
      for (std::int64_t i = 0; i < rows; ++i) {
        const float *yi = y.row(i).data(), *dyi = dy.row(i).data();
        const float inner = lane_sum<float>(shape.head_size, [=](std::int64_t j) { return yi[j] * dyi[j]; });
        if (rate.threshold > 0) head.dropout_factors(site, rate, first + i, factors);
        gradient_row({score_scale(shape), log_sum_exp[head.first_query() + first + i], inner}, head.mask(mask),
                     factors.data(), keys, &scores(i, 0), &dscores(i, 0));
      }
      head.matrix(dqkv, Head::kQuery, first, rows).noalias() = dscores * k;
      dk.noalias() += dscores.transpose() * q;
      dv.noalias() += scores.transpose() * dy;
    }
  });
}

std::int64_t attention_gradient_scratch(const AttentionShape& shape, int threads) {
  return threads * worker_elements(QueryBlocks(shape.sequence));
}

}  // namespace phasor::kernels
