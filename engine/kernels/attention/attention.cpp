#include "engine/kernels/attention/attention.h"

#include "engine/kernels/attention/forward_blocks.h"
#include "engine/kernels/attention/heads.h"
#include "engine/kernels/attention/multiplied.h"
#include "engine/kernels/attention/score_rows.h"
#include "engine/kernels/attention/size_classes.h"

namespace phasor::kernels {

constexpr std::int64_t kMostScores = 1 << 17;  // of a block: half a MiB

template <class T>
struct Attention<T>::Prepared {
  virtual ~Prepared() = default;
  virtual std::int64_t scratch_bytes() const = 0;
  virtual void run(const RandomPosition& position, std::span<const T> qkv, const Segments& segments, std::span<T> out,
                   std::span<float> log_sum_exp, std::span<std::byte> scratch) const = 0;
};

template <class T>
template <class Multiplied>
struct Attention<T>::PreparedAs final : Prepared {
  PreparedAs(const AttentionShape& attention, int team)
      : shape(attention), workers(team), classes(attention, kMostScores, team) {}

  std::int64_t scratch_bytes() const override { return workers * classes.worker_bytes(); }
  void run(const RandomPosition& position, std::span<const T> qkv, const Segments& segments, std::span<T> out,
           std::span<float> log_sum_exp, std::span<std::byte> scratch) const override;

  AttentionShape shape;
  int workers;
  SizeClasses<ForwardProducts<Multiplied>, ForwardScratch<Multiplied>> classes;
};

template <class T>
Attention<T>::Attention(const AttentionShape& shape, int workers)
    : prepared_(with_multiplied<T>(shape, [&]<class Multiplied>() -> std::unique_ptr<const Prepared> {
        return std::make_unique<const PreparedAs<Multiplied>>(shape, workers);
      })) {}
template <class T>
Attention<T>::Attention(Attention&&) noexcept = default;
template <class T>
Attention<T>::~Attention() = default;

template <class T>
std::int64_t Attention<T>::scratch_bytes() const {
  return prepared_->scratch_bytes();
}

template <class T>
void Attention<T>::run(const RandomPosition& position, std::span<const T> qkv, const Segments& segments,
                       std::span<T> out, std::span<float> log_sum_exp, std::span<std::byte> scratch) const {
  prepared_->run(position, qkv, segments, out, log_sum_exp, scratch);
}

template <class T>
template <class Multiplied>
void Attention<T>::PreparedAs<Multiplied>::run(const RandomPosition& position, std::span<const T> qkv,
                                               const Segments& segments, std::span<T> out, std::span<float> log_sum_exp,
                                               std::span<std::byte> scratch) const {
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
    const ForwardScratch<Multiplied>& at = prepared.scratch;
    std::byte* const base = scratch.data() + worker * classes.worker_bytes();
    const auto elements = [base](std::int64_t offset) { return reinterpret_cast<Multiplied*>(base + offset); };
    const auto floats = [base](std::int64_t offset) { return reinterpret_cast<float*>(base + offset); };
    float *const scores = floats(at.scores), *const shares = floats(at.shares), *const y = floats(at.out);
    auto* const bits = reinterpret_cast<std::uint16_t*>(base + at.dropout);
    Multiplied *const weights = elements(at.weights), *const q = elements(at.q);
    Multiplied *const k = elements(at.k), *const v = elements(at.v);

    gather(&qkv[head.offset(Head::kKey, 0)], head.part_stride(), all_keys, columns, k);
    gather(&qkv[head.offset(Head::kValue, 0)], head.part_stride(), all_keys, columns, v);
    for (std::int64_t number = begin; number < end; ++number) {
      const auto [first, rows, keys] = blocks.at(number);
      const ForwardProducts<Multiplied>& products = *prepared.products[number];
      const FilledRows queries{std::min(rows, tokens - first), rows};
      gather(&qkv[head.offset(Head::kQuery, first)], head.part_stride(), queries, columns, q);
      products.scores->run(worker, q, k, nullptr, scores, base + at.product);
      for (std::int64_t i = 0; i < queries.filled; ++i) {
        prefetch(&out[head.offset(first + i)], columns);  // written after the last row
        float* const row = scores + i * keys;
        const std::int64_t seen = hide_behind(shape.causal ? first + i + 1 : tokens, row);
        const auto place = [&, keys = keys](const auto& dropout) {
          return place_weights<T>(score_scale(shape), dropout, seen, keys, row, weights + i * keys);
        };
        if (rate.threshold > 0) head.dropout_bits(site, first + i, {bits, static_cast<std::size_t>(seen)});
        const Partition partition = rate.threshold > 0 ? place(KeyDropout{bits, rate}) : place(NoKeyDropout{});
        log_sum_exp[head.of_query(first + i)] = partition.log_sum_exp;
        shares[i] = rate.scale / partition.sum;
      }
      products.out->run(worker, weights, v, nullptr, y, base + at.product);
      scatter(y, shares, queries.filled, columns, &out[head.offset(first)], head.width());
    }
  });
}

template <class T>
std::int64_t attention_scratch_bytes(const AttentionShape& shape, int workers) {
  return workers * with_multiplied<T>(shape, [&]<class Multiplied>() {
           return SizeClasses<ForwardBytes<Multiplied>, ForwardScratch<Multiplied>>(shape, kMostScores, workers)
               .worker_bytes();
         });
}

template class Attention<float>;
template class Attention<bfloat16>;
template std::int64_t attention_scratch_bytes<float>(const AttentionShape&, int);
template std::int64_t attention_scratch_bytes<bfloat16>(const AttentionShape&, int);

}  // namespace phasor::kernels
