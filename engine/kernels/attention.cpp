#include "engine/kernels/attention.h"

#include "engine/kernels/attention_blocks.h"
#include "engine/kernels/lanes.h"
#include "engine/kernels/pieces.h"
#include "engine/kernels/vector_math.h"

namespace phasor::kernels {

namespace {

// row = exp(score - highest score), score = row * scale + mask.
struct Partition {
  float sum;          // of the new row
  float log_sum_exp;  // of the scores
};
Partition exponentiate(float scale, const float* mask, std::int64_t keys, float* row) {
#pragma GCC ivdep
  for (std::int64_t j = 0; j < keys; ++j) row[j] = std::fma(row[j], scale, mask[j]);
  const float highest = lane_max<float>(keys, [row](std::int64_t j) { return row[j]; });
  for (std::int64_t j = 0; j < keys; ++j) row[j] = vector_exp(row[j] - highest);
  const float sum = lane_sum<float>(keys, [row](std::int64_t j) { return row[j]; });
  return {sum, highest + std::log(sum)};
}

void multiply(float share, const float* factors, std::int64_t keys, float* row) {
#pragma GCC ivdep
  for (std::int64_t j = 0; j < keys; ++j) row[j] *= share * factors[j];
}

// A worker's scratch: the scores of a block, and a row of dropout factors.
std::int64_t worker_elements(const QueryBlocks& blocks) { return blocks.elements() + blocks.stride; }

}  // namespace

void attention(const AttentionShape& shape, const RandomPosition& position, std::span<const float> qkv,
               std::span<const float> mask, std::span<float> out, std::span<float> log_sum_exp,
               std::span<float> scratch) {
  const QueryBlocks blocks(shape.sequence);
  const RandomSite site(position, shape.site);
  const DropoutRate rate(shape.dropout_probability);
  const std::int64_t keys = shape.sequence;

  parallel_for(shape.batch * shape.heads * blocks.count, [&](std::int64_t piece, int worker) {
    const std::int64_t instance = piece / blocks.count, first = piece % blocks.count * blocks.rows;
    const Head head{shape, instance / shape.heads, instance % shape.heads};
    const std::int64_t rows = std::min(blocks.rows, shape.sequence - first);
    float* const block = scratch.data() + worker * worker_elements(blocks);
    const std::span factors(block + blocks.elements(), static_cast<std::size_t>(keys));
    std::fill(factors.begin(), factors.end(), 1.0f);

    Matrix scores(block, rows, keys, Stride(blocks.stride));  // [query, key], soon the probabilities
    scores.noalias() = head.matrix(qkv, Head::kQuery, first, rows) * head.matrix(qkv, Head::kKey, 0, keys).transpose();
    for (std::int64_t i = 0; i < rows; ++i) {
      float* const row = block + i * blocks.stride;
      const Partition partition = exponentiate(score_scale(shape), head.mask(mask), keys, row);
      log_sum_exp[head.first_query() + first + i] = partition.log_sum_exp;
      if (rate.threshold > 0) head.dropout_factors(site, rate, first + i, factors);
      multiply(1 / partition.sum, factors.data(), keys, row);
    }
    head.matrix(out, first, rows).noalias() = scores * head.matrix(qkv, Head::kValue, 0, keys);
  });
}

std::int64_t attention_scratch(const AttentionShape& shape, int threads) {
  return threads * worker_elements(QueryBlocks(shape.sequence));
}

}  // namespace phasor::kernels
