#include "engine/kernels/attention/attention.h"
#include "engine/kernels/attention/gradient_blocks.h"
#include "engine/kernels/attention/heads.h"
#include "engine/kernels/attention/multiplied.h"
#include "engine/kernels/attention/score_rows.h"
#include "engine/kernels/attention/size_classes.h"
#include "engine/kernels/simd/lanes.h"

namespace phasor::kernels {

constexpr std::int64_t kMostScores = 1 << 16;  // of a block: a quarter of a MiB, and as much for their gradient

template <class T>
struct AttentionGradient<T>::Prepared {
  virtual ~Prepared() = default;
  virtual std::int64_t scratch_bytes() const = 0;
  virtual void run(const RandomPosition& position, std::span<const T> qkv, const Segments& segments,
                   std::span<const T> out, std::span<const float> log_sum_exp, std::span<const T> dout,
                   std::span<T> dqkv, std::span<std::byte> scratch) const = 0;
};

template <class T>
template <class Multiplied>
struct AttentionGradient<T>::PreparedAs final : Prepared {
  PreparedAs(const AttentionShape& attention, int team)
      : shape(attention), workers(team), classes(attention, kMostScores, team) {}

  std::int64_t scratch_bytes() const override { return workers * classes.worker_bytes(); }
  void run(const RandomPosition& position, std::span<const T> qkv, const Segments& segments, std::span<const T> out,
           std::span<const float> log_sum_exp, std::span<const T> dout, std::span<T> dqkv,
           std::span<std::byte> scratch) const override;

  AttentionShape shape;
  int workers;
  SizeClasses<GradientProducts<Multiplied>, GradientScratch<Multiplied>> classes;
};

template <class T>
AttentionGradient<T>::AttentionGradient(const AttentionShape& shape, int workers)
    : prepared_(with_multiplied<T>(shape, [&]<class Multiplied>() -> std::unique_ptr<const Prepared> {
        return std::make_unique<const PreparedAs<Multiplied>>(shape, workers);
      })) {}
template <class T>
AttentionGradient<T>::AttentionGradient(AttentionGradient&&) noexcept = default;
template <class T>
AttentionGradient<T>::~AttentionGradient() = default;

template <class T>
std::int64_t AttentionGradient<T>::scratch_bytes() const {
  return prepared_->scratch_bytes();
}

template <class T>
void AttentionGradient<T>::run(const RandomPosition& position, std::span<const T> qkv, const Segments& segments,
                               std::span<const T> out, std::span<const float> log_sum_exp, std::span<const T> dout,
                               std::span<T> dqkv, std::span<std::byte> scratch) const {
  prepared_->run(position, qkv, segments, out, log_sum_exp, dout, dqkv, scratch);
}

// A head's blocks run one after the other, so that dk and dv are summed in a fixed order.
template <class T>
template <class Multiplied>
void AttentionGradient<T>::PreparedAs<Multiplied>::run(const RandomPosition& position, std::span<const T> qkv,
                                                       const Segments& segments, std::span<const T> out,
                                                       std::span<const float> log_sum_exp, std::span<const T> dout,
                                                       std::span<T> dqkv, std::span<std::byte> scratch) const {
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
    const GradientScratch<Multiplied>& at = prepared.scratch;
    std::byte* const base = scratch.data() + worker * classes.worker_bytes();
    const auto floats = [base](std::int64_t offset) { return reinterpret_cast<float*>(base + offset); };
    const auto elements = [base](std::int64_t offset) { return reinterpret_cast<Multiplied*>(base + offset); };
    float *const scores = floats(at.scores), *const dropped = floats(at.dropped);  // [query, key]
    Multiplied *const probabilities = elements(at.probabilities), *const dscores = elements(at.dscores);
    float *const dk = floats(at.dk), *const dv = floats(at.dv);
    auto* const bits = reinterpret_cast<std::uint16_t*>(base + at.dropout);
    Multiplied *const q = elements(at.q), *const k = elements(at.k), *const v = elements(at.v);
    Multiplied *const dq = elements(at.dq), *const dy = elements(at.dout);

    gather(&qkv[head.offset(Head::kKey, 0)], head.part_stride(), all_keys, columns, k);
    gather(&qkv[head.offset(Head::kValue, 0)], head.part_stride(), all_keys, columns, v);
    std::fill_n(dk, prepared.size * columns, 0.0f);
    std::fill_n(dv, prepared.size * columns, 0.0f);
    for (std::int64_t number = 0; number < prepared.blocks.count(tokens); ++number) {
      const auto [first, rows, keys] = prepared.blocks.at(number);
      const GradientProducts<Multiplied>& products = *prepared.products[number];
      const FilledRows queries{std::min(rows, tokens - first), rows};
      gather(&qkv[head.offset(Head::kQuery, first)], head.part_stride(), queries, columns, q);
      gather(&dout[head.offset(first)], head.width(), queries, columns, dy);
      products.scores->run(worker, q, k, nullptr, scores, base + at.product);
      products.scores->run(worker, dy, v, nullptr, dropped, base + at.product);
      for (std::int64_t i = 0; i < queries.filled; ++i) {
        const T* const yi = &out[head.offset(first + i)];
        const Multiplied* const dyi = dy + i * columns;
        if (i + 1 < queries.filled) prefetch(&out[head.offset(first + i + 1)], columns);
        const float inner =
            lane_sum<float>(columns, [=](std::int64_t j) { return to_float(yi[j]) * to_float(dyi[j]); });
        const QueryRow query{score_scale(shape), log_sum_exp[head.of_query(first + i)], inner};
        float *const row = scores + i * keys, *const drow = dropped + i * keys;
        Multiplied *const p = probabilities + i * keys, *const ds = dscores + i * keys;
        const std::int64_t attended = shape.causal ? first + i + 1 : tokens, seen = hide_behind(attended, row);
        std::fill(drow + attended, drow + seen, 0.0f);
        if (rate.threshold > 0) {
          head.dropout_bits(site, first + i, {bits, static_cast<std::size_t>(seen)});
          gradient_row<T>(query, KeyDropout{bits, rate}, seen, keys, row, drow, p, ds);
        } else {
          gradient_row<T>(query, NoKeyDropout{}, seen, keys, row, drow, p, ds);
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
  return workers * with_multiplied<T>(shape, [&]<class Multiplied>() {
           return SizeClasses<GradientBytes<Multiplied>, GradientScratch<Multiplied>>(shape, kMostScores, workers)
               .worker_bytes();
         });
}

template class AttentionGradient<float>;
template class AttentionGradient<bfloat16>;
template std::int64_t attention_gradient_scratch_bytes<float>(const AttentionShape&, int);
template std::int64_t attention_gradient_scratch_bytes<bfloat16>(const AttentionShape&, int);

}  // namespace phasor::kernels
