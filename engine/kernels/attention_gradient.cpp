#include "engine/kernels/attention.h"
#include "engine/kernels/attention_classes.h"
#include "engine/kernels/attention_rows.h"
#include "engine/kernels/attention_segments.h"
#include "engine/kernels/simd/lanes.h"

namespace phasor::kernels {

namespace {

constexpr std::int64_t kMostScores = 1 << 16;  // of a block: a quarter of a MiB, and as much for their gradient

// The products of a block.
struct BlockShapes {
  ProductShape scores;  // q k', dout v'
  ProductShape dq;      // ds k
  ProductShape sum;     // dk += ds' q, dv += P' dout
};
template <class T>
BlockShapes block_shapes(const AttentionShape& s, const QueryBlock& block) {
  return {.scores = {.m = block.rows,
                     .n = block.keys,
                     .k = s.head_size,
                     .transpose_b = true,
                     .operands = dtype_of<T>,
                     .backend = s.products},
          .dq = {.m = block.rows,
                 .n = s.head_size,
                 .k = block.keys,
                 .operands = dtype_of<T>,
                 .result = dtype_of<T>,
                 .backend = s.products},
          .sum = {.m = block.keys,
                  .n = s.head_size,
                  .k = block.rows,
                  .transpose_a = true,
                  .operands = dtype_of<T>,
                  .accumulate = true,
                  .backend = s.products}};
}

template <class T>
struct BlockProducts {
  BlockProducts(const AttentionShape& shape, const QueryBlock& block, int workers)
      : scores(make_product(block_shapes<T>(shape, block).scores, workers)),
        dq(make_product(block_shapes<T>(shape, block).dq, workers)),
        sum(make_product(block_shapes<T>(shape, block).sum, workers)) {}
  std::int64_t scratch_bytes() const {
    return std::max({scores->scratch_bytes(), dq->scratch_bytes(), sum->scratch_bytes()});
  }

  std::unique_ptr<Product> scores, dq, sum;
};

// The same without preparing them.
template <class T>
struct BlockBytes {
  BlockBytes(const AttentionShape& shape, const QueryBlock& block, int) {
    const BlockShapes shapes = block_shapes<T>(shape, block);
    bytes = std::max(
        {product_scratch_bytes(shapes.scores), product_scratch_bytes(shapes.dq), product_scratch_bytes(shapes.sum)});
  }
  std::int64_t scratch_bytes() const { return bytes; }

  std::int64_t bytes;
};

// A worker's scratch, in bytes from its start.
template <class T>
struct WorkerScratch {
  WorkerScratch(const AttentionShape& s, const QueryBlocks& blocks, std::int64_t product_bytes) {
    ScratchLayout layout;
    const std::int64_t queries = blocks.rows, keys = blocks.size;
    // The first rows of both; the others take the place of the floats that they are made of.
    probabilities = layout.add<T>(keys);
    scores = layout.add<float>(queries * keys);
    dscores = layout.add<T>(keys);
    dropped = layout.add<float>(queries * keys);
    q = layout.add<T>(queries * s.head_size);
    dq = layout.add<T>(queries * s.head_size);
    dout = layout.add<T>(queries * s.head_size);
    k = layout.add<T>(keys * s.head_size);
    v = layout.add<T>(keys * s.head_size);
    dk = layout.add<float>(keys * s.head_size);
    dv = layout.add<float>(keys * s.head_size);
    dropout = layout.add<std::uint16_t>(keys);
    product = layout.add<std::byte>(product_bytes);
    bytes = layout.bytes();
  }
  std::int64_t probabilities, scores, dscores, dropped, q, dq, dout, k, v, dk, dv, dropout, product, bytes;
};

}  // namespace

template <class T>
struct AttentionGradient<T>::Prepared {
  Prepared(const AttentionShape& attention, int team)
      : shape(attention), workers(team), classes(attention, kMostScores, team) {}

  AttentionShape shape;
  int workers;
  SizeClasses<BlockProducts<T>, WorkerScratch<T>> classes;
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
  return prepared_->workers * prepared_->classes.worker_bytes();
}

// A head's blocks run one after the other, so that dk and dv are summed in a fixed order.
template <class T>
void AttentionGradient<T>::run(const RandomPosition& position, std::span<const T> qkv, const Segments& segments,
                               std::span<const T> out, std::span<const float> log_sum_exp, std::span<const T> dout,
                               std::span<T> dqkv, std::span<std::byte> scratch) const {
  const AttentionShape& shape = prepared_->shape;
  const auto& classes = prepared_->classes;
  const RandomSite site(position, shape.site);
  const DropoutRate rate(shape.dropout_probability);

  for_padding(segments, [&](std::int64_t row, std::int64_t first, std::int64_t tokens) {
    const std::int64_t width = 3 * shape.heads * shape.head_size;
    std::fill_n(dqkv.begin() + (row * shape.sequence + first) * width, tokens * width, T{});
  });
  constexpr auto kAlone = [](std::int64_t) { return 1; };
  for_segment_blocks(shape, segments, kAlone, [&](const Head& head, std::int64_t, int worker) {
    const std::int64_t tokens = head.segment.tokens, columns = shape.head_size;
    const auto& prepared = classes.of(tokens);
    const FilledRows all_keys{tokens, prepared.size};
    const WorkerScratch<T>& at = prepared.scratch;
    std::byte* const base = scratch.data() + worker * classes.worker_bytes();
    const auto floats = [base](std::int64_t offset) { return reinterpret_cast<float*>(base + offset); };
    const auto elements = [base](std::int64_t offset) { return reinterpret_cast<T*>(base + offset); };
    float *const scores = floats(at.scores), *const dropped = floats(at.dropped);  // [query, key]
    T *const probabilities = elements(at.probabilities), *const dscores = elements(at.dscores);
    float *const dk = floats(at.dk), *const dv = floats(at.dv);
    auto* const bits = reinterpret_cast<std::uint16_t*>(base + at.dropout);
    T *const q = elements(at.q), *const k = elements(at.k), *const v = elements(at.v);
    T *const dq = elements(at.dq), *const dy = elements(at.dout);

    gather(&qkv[head.offset(Head::kKey, 0)], head.part_stride(), all_keys, columns, k);
    gather(&qkv[head.offset(Head::kValue, 0)], head.part_stride(), all_keys, columns, v);
    std::fill_n(dk, prepared.size * columns, 0.0f);
    std::fill_n(dv, prepared.size * columns, 0.0f);
    for (std::int64_t number = 0; number < prepared.blocks.count(tokens); ++number) {
      const auto [first, rows, keys] = prepared.blocks.at(number);
      const BlockProducts<T>& products = *prepared.products[number];
      const FilledRows queries{std::min(rows, tokens - first), rows};
      gather(&qkv[head.offset(Head::kQuery, first)], head.part_stride(), queries, columns, q);
      gather(&dout[head.offset(first)], head.width(), queries, columns, dy);
      products.scores->run(worker, q, k, nullptr, scores, base + at.product);
      products.scores->run(worker, dy, v, nullptr, dropped, base + at.product);
      for (std::int64_t i = 0; i < queries.filled; ++i) {
        const T *const yi = &out[head.offset(first + i)], *const dyi = dy + i * columns;
        if (i + 1 < queries.filled) prefetch(&out[head.offset(first + i + 1)], columns);
        const float inner =
            lane_sum<float>(columns, [=](std::int64_t j) { return to_float(yi[j]) * to_float(dyi[j]); });
        const QueryRow query{score_scale(shape), log_sum_exp[head.of_query(first + i)], inner};
        float *const row = scores + i * keys, *const drow = dropped + i * keys;
        T *const p = probabilities + i * keys, *const ds = dscores + i * keys;
        const std::int64_t attended = shape.causal ? first + i + 1 : tokens, seen = hide_behind(attended, row);
        std::fill(drow + attended, drow + seen, 0.0f);
        if (rate.threshold > 0) {
          head.dropout_bits(site, first + i, {bits, static_cast<std::size_t>(seen)});
          gradient_row(query, KeyDropout{bits, rate}, seen, keys, row, drow, p, ds);
        } else {
          gradient_row(query, NoKeyDropout{}, seen, keys, row, drow, p, ds);
        }
      }
      clear_behind(queries, keys, probabilities);  // dk and dv are sums over all rows
      clear_behind(queries, keys, dscores);
      products.dq->run(worker, dscores, k, nullptr, dq, base + at.product);
      scatter(dq, queries.filled, columns, &dqkv[head.offset(Head::kQuery, first)], head.part_stride());
      products.sum->run(worker, dscores, q, nullptr, dk, base + at.product);
      products.sum->run(worker, probabilities, dy, nullptr, dv, base + at.product);
    }
    scatter(dk, tokens, columns, &dqkv[head.offset(Head::kKey, 0)], head.part_stride());
    scatter(dv, tokens, columns, &dqkv[head.offset(Head::kValue, 0)], head.part_stride());
  });
}

template <class T>
std::int64_t attention_gradient_scratch_bytes(const AttentionShape& shape, int workers) {
  return workers * SizeClasses<BlockBytes<T>, WorkerScratch<T>>(shape, kMostScores, workers).worker_bytes();
}

template class AttentionGradient<float>;
template class AttentionGradient<bfloat16>;
template std::int64_t attention_gradient_scratch_bytes<float>(const AttentionShape&, int);
template std::int64_t attention_gradient_scratch_bytes<bfloat16>(const AttentionShape&, int);

}  // namespace phasor::kernels
