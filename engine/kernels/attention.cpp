#include "engine/kernels/attention.h"

#include <limits>

#include "engine/kernels/attention_blocks.h"
#include "engine/kernels/simd/lanes.h"
#include "engine/kernels/simd/pieces.h"
#include "engine/kernels/simd/vector_math.h"

namespace phasor::kernels {

namespace {

// row = row * scale + mask. Returns the largest; maxima have the same bits in any order. A NaN may be overlooked.
float scale_and_mask(float scale, const float* mask, std::int64_t keys, float* row) {
  constexpr std::int64_t kWide = 4 * kLanes<float>;  // so many maxima at a time hide the latency of each
  float highest[kWide];
  std::fill_n(highest, kWide, -std::numeric_limits<float>::infinity());
  const auto step = [=, &highest](std::int64_t j, std::int64_t lane) {
    const float score = std::fma(row[j], scale, mask[j]);
    row[j] = score;
    highest[lane] = highest[lane] < score ? score : highest[lane];
  };
  std::int64_t j = 0;
  for (; j + kWide <= keys; j += kWide)
#pragma GCC ivdep
    for (std::int64_t lane = 0; lane < kWide; ++lane) step(j + lane, lane);
  for (std::int64_t lane = 0; j < keys; ++j, ++lane) step(j, lane);
  return *std::max_element(highest, highest + kWide);
}

// row = exp(score - highest score), score = row * scale + mask.
struct Partition {
  float sum;          // of the new row
  float log_sum_exp;  // of the scores
};
Partition exponentiate(float scale, const float* mask, std::int64_t keys, float* row) {
  const float highest = scale_and_mask(scale, mask, keys, row);
  const float sum =
      lane_sum<float>(keys, [row, highest](std::int64_t j) { return row[j] = vector_exp(row[j] - highest); });
  return {sum, highest + std::log(sum)};
}

void multiply(float share, std::int64_t keys, float* row) {
  for (std::int64_t j = 0; j < keys; ++j) row[j] *= share;
}
void multiply(float share, const float* factors, std::int64_t keys, float* row) {
#pragma GCC ivdep
  for (std::int64_t j = 0; j < keys; ++j) row[j] *= share * factors[j];
}

constexpr std::int64_t kMostScores = 1 << 17;  // of a block: half a MiB

// The two products of a block of so many queries.
struct BlockShapes {
  ProductShape scores, out;
};
template <class T>
BlockShapes block_shapes(const AttentionShape& s, std::int64_t rows) {
  const std::int64_t width = s.heads * s.head_size;
  return {.scores = {.m = rows,
                     .n = s.sequence,
                     .k = s.head_size,
                     .lda = 3 * width,
                     .ldb = 3 * width,
                     .transpose_b = true,
                     .operands = dtype_of<T>,
                     .backend = s.products},
          .out = {.m = rows,
                  .n = s.head_size,
                  .k = s.sequence,
                  .ldb = 3 * width,
                  .ldc = width,
                  .operands = dtype_of<T>,
                  .result = dtype_of<T>,
                  .backend = s.products}};
}

// A worker's scratch, in bytes from its start.
template <class T>
struct WorkerScratch {
  WorkerScratch(const AttentionShape& s, const QueryBlocks& blocks, std::int64_t product_bytes) {
    ScratchLayout layout;
    scores = layout.add<float>(blocks.rows * s.sequence);
    factors = layout.add<float>(s.sequence);
    row = layout.add<T>(s.sequence);
    product = layout.add<std::byte>(product_bytes);
    bytes = layout.bytes();
  }
  std::int64_t scores, factors, row, product, bytes;
};

}  // namespace

template <class T>
struct Attention<T>::Prepared {
  struct Block {
    Block(const AttentionShape& shape, std::int64_t rows, int workers)
        : scores(make_product(block_shapes<T>(shape, rows).scores, workers)),
          out(make_product(block_shapes<T>(shape, rows).out, workers)) {}
    std::int64_t scratch_bytes() const { return std::max(scores->scratch_bytes(), out->scratch_bytes()); }

    std::unique_ptr<Product> scores, out;
  };

  Prepared(const AttentionShape& attention, int team)
      : shape(attention),
        workers(team),
        blocks(attention.sequence, kMostScores),
        block(attention, blocks.rows, team),
        last(attention, blocks.last_rows, team),
        scratch(attention, blocks, std::max(block.scratch_bytes(), last.scratch_bytes())) {}

  AttentionShape shape;
  int workers;
  QueryBlocks blocks;
  Block block, last;
  WorkerScratch<T> scratch;
};

template <class T>
Attention<T>::Attention(const AttentionShape& shape, int workers)
    : prepared_(std::make_unique<const Prepared>(shape, workers)) {}
template <class T>
Attention<T>::Attention(Attention&&) noexcept = default;
template <class T>
Attention<T>::~Attention() = default;

template <class T>
std::int64_t Attention<T>::scratch_bytes() const {
  return prepared_->workers * prepared_->scratch.bytes;
}

template <class T>
void Attention<T>::run(const RandomPosition& position, std::span<const T> qkv, std::span<const float> mask,
                       std::span<T> out, std::span<float> log_sum_exp, std::span<std::byte> scratch) const {
  const AttentionShape& shape = prepared_->shape;
  const QueryBlocks& blocks = prepared_->blocks;
  const WorkerScratch<T>& at = prepared_->scratch;
  const RandomSite site(position, shape.site);
  const DropoutRate rate(shape.dropout_probability);
  const std::int64_t keys = shape.sequence;

  parallel_for(shape.batch * shape.heads * blocks.count, [&](std::int64_t piece, int worker) {
    const std::int64_t instance = piece / blocks.count, first = piece % blocks.count * blocks.rows;
    const Head head{shape, instance / shape.heads, instance % shape.heads};
    const bool is_last = piece % blocks.count == blocks.count - 1;
    const auto& products = is_last ? prepared_->last : prepared_->block;
    const std::int64_t rows = is_last ? blocks.last_rows : blocks.rows;
    std::byte* const base = scratch.data() + worker * at.bytes;
    auto* const scores = reinterpret_cast<float*>(base + at.scores);  // [query, key], soon the probabilities, as T
    auto* const factors = reinterpret_cast<float*>(base + at.factors);

    products.scores->run(worker, &qkv[head.offset(Head::kQuery, first)], &qkv[head.offset(Head::kKey, 0)], nullptr,
                         scores, base + at.product);
    for (std::int64_t i = 0; i < rows; ++i) {
      float* const row = scores + i * keys;
      const Partition partition = exponentiate(score_scale(shape), head.mask(mask), keys, row);
      log_sum_exp[head.first_query() + first + i] = partition.log_sum_exp;
      if (rate.threshold > 0) {
        head.dropout_factors(site, rate, first + i, {factors, static_cast<std::size_t>(keys)});
        multiply(1 / partition.sum, factors, keys, row);
      } else {
        multiply(1 / partition.sum, keys, row);
      }
      round_row(scores, i, keys, reinterpret_cast<T*>(base + at.row));
    }
    products.out->run(worker, scores, &qkv[head.offset(Head::kValue, 0)], nullptr, &out[head.offset(first)],
                      base + at.product);
  });
}

template <class T>
std::int64_t attention_scratch_bytes(const AttentionShape& shape, int workers) {
  const QueryBlocks blocks(shape.sequence, kMostScores);
  std::int64_t product_bytes = 0;
  for (std::int64_t rows : {blocks.rows, blocks.last_rows}) {
    const BlockShapes shapes = block_shapes<T>(shape, rows);
    product_bytes = std::max({product_bytes, product_scratch_bytes(shapes.scores), product_scratch_bytes(shapes.out)});
  }
  return workers * WorkerScratch<T>(shape, blocks, product_bytes).bytes;
}

template class Attention<float>;
template class Attention<bfloat16>;
template std::int64_t attention_scratch_bytes<float>(const AttentionShape&, int);
template std::int64_t attention_scratch_bytes<bfloat16>(const AttentionShape&, int);

}  // namespace phasor::kernels
