#include "engine/kernels/attention.h"
#include "engine/kernels/attention_blocks.h"
#include "engine/kernels/simd/lanes.h"
#include "engine/kernels/simd/pieces.h"
#include "engine/kernels/simd/vector_math.h"

namespace phasor::kernels {

namespace {

// One query's row. On entry: scores = q k', dropped = dout v', the gradient of the dropped probabilities.
// p = exp(scores * scale + mask - log_sum_exp);  on return: scores = P = p * factor(key),
// dropped = ds * scale = p * (dropped * factor(key) - inner) * scale, what dq and dk are made of.
struct QueryRow {
  float scale, log_sum_exp;
  float inner;  // sum over head_size of dout * out
};
template <class Factor>
void gradient_row(QueryRow query, const float* mask, Factor factor, std::int64_t keys, float* scores, float* dropped) {
#pragma GCC ivdep
  for (std::int64_t j = 0; j < keys; ++j) {
    const float p = vector_exp(std::fma(scores[j], query.scale, mask[j]) - query.log_sum_exp);
    scores[j] = p * factor(j);
    dropped[j] = p * (dropped[j] * factor(j) - query.inner) * query.scale;
  }
}

// Rows of a head from a tensor that holds them `stride` apart, one after the other.
template <class T>
void gather(const T* from, std::int64_t stride, std::int64_t rows, std::int64_t columns, T* to) {
  for (std::int64_t i = 0; i < rows; ++i) std::memcpy(to + i * columns, from + i * stride, columns * sizeof(T));
}

// And back, rounded to T.
template <class T>
void scatter(const float* from, std::int64_t rows, std::int64_t columns, T* to, std::int64_t stride) {
  for (std::int64_t i = 0; i < rows; ++i)
    for (std::int64_t j = 0; j < columns; ++j) to[i * stride + j] = from_float<T>(from[i * columns + j]);
}

constexpr std::int64_t kMostScores = 1 << 16;  // of a block: a quarter of a MiB, and as much for their gradient

// The products of a block of so many queries.
struct BlockShapes {
  ProductShape scores;  // q k', dout v'
  ProductShape dq;      // ds k
  ProductShape sum;     // dk += ds' q, dv += P' dout
};
template <class T>
BlockShapes block_shapes(const AttentionShape& s, std::int64_t rows) {
  return {.scores = {.m = rows,
                     .n = s.sequence,
                     .k = s.head_size,
                     .transpose_b = true,
                     .operands = dtype_of<T>,
                     .backend = s.products},
          .dq = {.m = rows,
                 .n = s.head_size,
                 .k = s.sequence,
                 .ldc = 3 * s.heads * s.head_size,
                 .operands = dtype_of<T>,
                 .result = dtype_of<T>,
                 .backend = s.products},
          .sum = {.m = s.sequence,
                  .n = s.head_size,
                  .k = rows,
                  .transpose_a = true,
                  .operands = dtype_of<T>,
                  .accumulate = true,
                  .backend = s.products}};
}

// A worker's scratch, in bytes from its start.
template <class T>
struct WorkerScratch {
  WorkerScratch(const AttentionShape& s, const QueryBlocks& blocks, std::int64_t product_bytes) {
    ScratchLayout layout;
    scores = layout.add<float>(blocks.rows * s.sequence);
    dscores = layout.add<float>(blocks.rows * s.sequence);
    q = layout.add<T>(blocks.rows * s.head_size);
    dout = layout.add<T>(blocks.rows * s.head_size);
    k = layout.add<T>(s.sequence * s.head_size);
    v = layout.add<T>(s.sequence * s.head_size);
    dk = layout.add<float>(s.sequence * s.head_size);
    dv = layout.add<float>(s.sequence * s.head_size);
    factors = layout.add<float>(s.sequence);
    row = layout.add<T>(s.sequence);
    product = layout.add<std::byte>(product_bytes);
    bytes = layout.bytes();
  }
  std::int64_t scores, dscores, q, dout, k, v, dk, dv, factors, row, product, bytes;
};

}  // namespace

template <class T>
struct AttentionGradient<T>::Prepared {
  struct Block {
    Block(const AttentionShape& shape, std::int64_t rows, int workers)
        : scores(make_product(block_shapes<T>(shape, rows).scores, workers)),
          dq(make_product(block_shapes<T>(shape, rows).dq, workers)),
          sum(make_product(block_shapes<T>(shape, rows).sum, workers)) {}
    std::int64_t scratch_bytes() const {
      return std::max({scores->scratch_bytes(), dq->scratch_bytes(), sum->scratch_bytes()});
    }

    std::unique_ptr<Product> scores, dq, sum;
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
AttentionGradient<T>::AttentionGradient(const AttentionShape& shape, int workers)
    : prepared_(std::make_unique<const Prepared>(shape, workers)) {}
template <class T>
AttentionGradient<T>::AttentionGradient(AttentionGradient&&) noexcept = default;
template <class T>
AttentionGradient<T>::~AttentionGradient() = default;

template <class T>
std::int64_t AttentionGradient<T>::scratch_bytes() const {
  return prepared_->workers * prepared_->scratch.bytes;
}

// A head's blocks run one after the other, so that dk and dv are summed in a fixed order.
template <class T>
void AttentionGradient<T>::run(const RandomPosition& position, std::span<const T> qkv, std::span<const float> mask,
                               std::span<const T> out, std::span<const float> log_sum_exp, std::span<const T> dout,
                               std::span<T> dqkv, std::span<std::byte> scratch) const {
  const AttentionShape& shape = prepared_->shape;
  const QueryBlocks& blocks = prepared_->blocks;
  const WorkerScratch<T>& at = prepared_->scratch;
  const RandomSite site(position, shape.site);
  const DropoutRate rate(shape.dropout_probability);
  const std::int64_t keys = shape.sequence, size = shape.head_size;

  parallel_for(shape.batch * shape.heads, [&](std::int64_t instance, int worker) {
    const Head head{shape, instance / shape.heads, instance % shape.heads};
    std::byte* const base = scratch.data() + worker * at.bytes;
    const auto floats = [base](std::int64_t offset) { return reinterpret_cast<float*>(base + offset); };
    const auto elements = [base](std::int64_t offset) { return reinterpret_cast<T*>(base + offset); };
    float* const scores = floats(at.scores);    // [query, key], soon the dropped probabilities, as T
    float* const dscores = floats(at.dscores);  // [query, key], of the dropped probabilities, soon of the scores, as T
    float *const dk = floats(at.dk), *const dv = floats(at.dv), *const factors = floats(at.factors);
    T *const q = elements(at.q), *const k = elements(at.k), *const v = elements(at.v), *const dy = elements(at.dout);

    gather(&qkv[head.offset(Head::kKey, 0)], head.part_stride(), keys, size, k);
    gather(&qkv[head.offset(Head::kValue, 0)], head.part_stride(), keys, size, v);
    std::fill_n(dk, keys * size, 0.0f);
    std::fill_n(dv, keys * size, 0.0f);
    for (std::int64_t first = 0; first < keys; first += blocks.rows) {
      const bool is_last = first + blocks.rows >= keys;
      const auto& products = is_last ? prepared_->last : prepared_->block;
      const std::int64_t rows = is_last ? blocks.last_rows : blocks.rows;
      gather(&qkv[head.offset(Head::kQuery, first)], head.part_stride(), rows, size, q);
      gather(&dout[head.offset(first)], head.width(), rows, size, dy);
      products.scores->run(worker, q, k, nullptr, scores, base + at.product);
      products.scores->run(worker, dy, v, nullptr, dscores, base + at.product);
      for (std::int64_t i = 0; i < rows; ++i) {
        const T *const yi = &out[head.offset(first + i)], *const dyi = dy + i * size;
        const float inner = lane_sum<float>(size, [=](std::int64_t j) { return to_float(yi[j]) * to_float(dyi[j]); });
        const QueryRow query{score_scale(shape), log_sum_exp[head.first_query() + first + i], inner};
        float *const row = scores + i * keys, *const drow = dscores + i * keys;
        if (rate.threshold > 0) {
          head.dropout_factors(site, rate, first + i, {factors, static_cast<std::size_t>(keys)});
          gradient_row(
              query, head.mask(mask), [factors](std::int64_t j) { return factors[j]; }, keys, row, drow);
        } else {
          gradient_row(
              query, head.mask(mask), [](std::int64_t) { return 1.0f; }, keys, row, drow);
        }
        round_row(scores, i, keys, elements(at.row));
        round_row(dscores, i, keys, elements(at.row));
      }
      products.dq->run(worker, dscores, k, nullptr, &dqkv[head.offset(Head::kQuery, first)], base + at.product);
      products.sum->run(worker, dscores, q, nullptr, dk, base + at.product);
      products.sum->run(worker, scores, dy, nullptr, dv, base + at.product);
    }
    scatter(dk, keys, size, &dqkv[head.offset(Head::kKey, 0)], head.part_stride());
    scatter(dv, keys, size, &dqkv[head.offset(Head::kValue, 0)], head.part_stride());
  });
}

template <class T>
std::int64_t attention_gradient_scratch_bytes(const AttentionShape& shape, int workers) {
  const QueryBlocks blocks(shape.sequence, kMostScores);
  std::int64_t product_bytes = 0;
  for (std::int64_t rows : {blocks.rows, blocks.last_rows}) {
    const BlockShapes shapes = block_shapes<T>(shape, rows);
    product_bytes = std::max({product_bytes, product_scratch_bytes(shapes.scores), product_scratch_bytes(shapes.dq),
                              product_scratch_bytes(shapes.sum)});
  }
  return workers * WorkerScratch<T>(shape, blocks, product_bytes).bytes;
}

template class AttentionGradient<float>;
template class AttentionGradient<bfloat16>;
template std::int64_t attention_gradient_scratch_bytes<float>(const AttentionShape&, int);
template std::int64_t attention_gradient_scratch_bytes<bfloat16>(const AttentionShape&, int);

}  // namespace phasor::kernels
