#include "engine/kernels/attention.h"

#include "engine/kernels/attention_classes.h"
#include "engine/kernels/attention_rows.h"
#include "engine/kernels/attention_segments.h"

namespace phasor::kernels {

namespace {

constexpr std::int64_t kMostScores = 1 << 17;  // of a block: half a MiB

// The two products of a block.
struct BlockShapes {
  ProductShape scores, out;
};
template <class T>
BlockShapes block_shapes(const AttentionShape& s, const QueryBlock& block) {
  return {.scores = {.m = block.rows,
                     .n = block.keys,
                     .k = s.head_size,
                     .transpose_b = true,
                     .operands = dtype_of<T>,
                     .backend = s.products},
          .out = {.m = block.rows,
                  .n = s.head_size,
                  .k = block.keys,
                  .operands = dtype_of<T>,
                  .result = dtype_of<T>,
                  .backend = s.products}};
}

template <class T>
struct BlockProducts {
  BlockProducts(const AttentionShape& shape, const QueryBlock& block, int workers)
      : scores(make_product(block_shapes<T>(shape, block).scores, workers)),
        out(make_product(block_shapes<T>(shape, block).out, workers)) {}
  std::int64_t scratch_bytes() const { return std::max(scores->scratch_bytes(), out->scratch_bytes()); }

  std::unique_ptr<Product> scores, out;
};

// The same without preparing them.
template <class T>
struct BlockBytes {
  BlockBytes(const AttentionShape& shape, const QueryBlock& block, int) {
    const BlockShapes shapes = block_shapes<T>(shape, block);
    bytes = std::max(product_scratch_bytes(shapes.scores), product_scratch_bytes(shapes.out));
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
    probabilities = layout.add<T>(keys);  // their first row; the others take the place of scores
    scores = layout.add<float>(queries * keys);
    q = layout.add<T>(queries * s.head_size);
    k = layout.add<T>(keys * s.head_size);
    v = layout.add<T>(keys * s.head_size);
    dropout = layout.add<std::uint16_t>(keys);
    product = layout.add<std::byte>(product_bytes);
    bytes = layout.bytes();
  }
  std::int64_t probabilities, scores, q, k, v, dropout, product, bytes;
};

}  // namespace

template <class T>
struct Attention<T>::Prepared {
  Prepared(const AttentionShape& attention, int team)
      : shape(attention), workers(team), classes(attention, kMostScores, team) {}

  AttentionShape shape;
  int workers;
  SizeClasses<BlockProducts<T>, WorkerScratch<T>> classes;
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
  return prepared_->workers * prepared_->classes.worker_bytes();
}

template <class T>
void Attention<T>::run(const RandomPosition& position, std::span<const T> qkv, const Segments& segments,
                       std::span<T> out, std::span<float> log_sum_exp, std::span<std::byte> scratch) const {
  const AttentionShape& shape = prepared_->shape;
  const auto& classes = prepared_->classes;
  const RandomSite site(position, shape.site);
  const DropoutRate rate(shape.dropout_probability);

  for_padding(segments, [&](std::int64_t row, std::int64_t first, std::int64_t tokens) {
    const std::int64_t width = shape.heads * shape.head_size;
    std::fill_n(out.begin() + (row * shape.sequence + first) * width, tokens * width, T{});
    for (std::int64_t head = 0; head < shape.heads; ++head)
      std::fill_n(log_sum_exp.begin() + (row * shape.heads + head) * shape.sequence + first, tokens, 0.0f);
  });
  const auto groups_of = [&](std::int64_t tokens) { return classes.of(tokens).blocks.groups(tokens); };
  for_segment_blocks(shape, segments, groups_of, [&](const Head& head, std::int64_t piece, int worker) {
    const std::int64_t tokens = head.segment.tokens, columns = shape.head_size;
    const auto& prepared = classes.of(tokens);
    const QueryBlocks& blocks = prepared.blocks;
    // The group with the most keys first: what is left to the end is then short.
    const std::int64_t begin = (blocks.groups(tokens) - 1 - piece) * blocks.of_a_group;
    const std::int64_t end = std::min(begin + blocks.of_a_group, blocks.count(tokens));
    const FilledRows all_keys{std::min(blocks.at(end - 1).keys, tokens), blocks.at(end - 1).keys};
    const WorkerScratch<T>& at = prepared.scratch;
    std::byte* const base = scratch.data() + worker * classes.worker_bytes();
    const auto elements = [base](std::int64_t offset) { return reinterpret_cast<T*>(base + offset); };
    auto* const scores = reinterpret_cast<float*>(base + at.scores);  // [query, key]
    auto* const bits = reinterpret_cast<std::uint16_t*>(base + at.dropout);
    T *const probabilities = elements(at.probabilities), *const q = elements(at.q);
    T *const k = elements(at.k), *const v = elements(at.v);

    gather(&qkv[head.offset(Head::kKey, 0)], head.part_stride(), all_keys, columns, k);
    gather(&qkv[head.offset(Head::kValue, 0)], head.part_stride(), all_keys, columns, v);
    for (std::int64_t number = begin; number < end; ++number) {
      const auto [first, rows, keys] = blocks.at(number);
      const BlockProducts<T>& products = *prepared.products[number];
      const FilledRows queries{std::min(rows, tokens - first), rows};
      gather(&qkv[head.offset(Head::kQuery, first)], head.part_stride(), queries, columns, q);
      products.scores->run(worker, q, k, nullptr, scores, base + at.product);
      for (std::int64_t i = 0; i < queries.filled; ++i) {
        float* const row = scores + i * keys;
        const std::int64_t seen = hide_behind(shape.causal ? first + i + 1 : tokens, row);
        const Partition partition = exponentiate<T>(score_scale(shape), seen, row);
        log_sum_exp[head.of_query(first + i)] = partition.log_sum_exp;
        T* const p = probabilities + i * keys;
        if (rate.threshold > 0) {
          head.dropout_bits(site, first + i, {bits, static_cast<std::size_t>(seen)});
          place_probabilities(row, 1 / partition.sum, KeyDropout{bits, rate}, seen, keys, p);
        } else {
          place_probabilities(row, 1 / partition.sum, NoKeyDropout{}, seen, keys, p);
        }
      }
      T* const y = q;  // in the queries' place
      products.out->run(worker, probabilities, v, nullptr, y, base + at.product);
      scatter(y, queries.filled, columns, &out[head.offset(first)], head.width());
    }
  });
}

template <class T>
std::int64_t attention_scratch_bytes(const AttentionShape& shape, int workers) {
  return workers * SizeClasses<BlockBytes<T>, WorkerScratch<T>>(shape, kMostScores, workers).worker_bytes();
}

template class Attention<float>;
template class Attention<bfloat16>;
template std::int64_t attention_scratch_bytes<float>(const AttentionShape&, int);
template std::int64_t attention_scratch_bytes<bfloat16>(const AttentionShape&, int);

}  // namespace phasor::kernels
