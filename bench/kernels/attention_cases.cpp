// Attention and its gradient, with dropout, without, and causal beside full. Verified on the first sample.
#include <utility>

#include "bench/kernels/map_case.h"
#include "engine/base/ops/causal.h"
#include "engine/kernels/attention/attention.h"
#include "engine/kernels/reference/attention.h"

namespace phasor::bench {

namespace {

using kernels::AttentionShape;

constexpr AttentionShape kFull{.rows = kBatch, .sequence = kSequence, .heads = kHeads, .head_size = kHeadSize};

AttentionShape with_dropout(AttentionShape shape) {
  shape.dropout_probability = 0.1f;
  return shape;
}
AttentionShape causal(AttentionShape shape) {
  shape.causal = true;
  return shape;
}
// Of a decoder.
AttentionShape with_1024_tokens(AttentionShape shape) {
  shape.rows = 2;
  shape.sequence = 1024;
  return shape;
}

std::int64_t tokens(const AttentionShape& shape) { return shape.rows * shape.sequence; }
std::int64_t hidden(const AttentionShape& shape) { return shape.heads * shape.head_size; }

// A sample that fills its row, in each.
std::vector<std::int32_t> whole_rows(const AttentionShape& shape) {
  std::vector<std::int32_t> numbers;
  for (std::int64_t row = 0; row < shape.rows; ++row)
    for (std::int64_t number : {std::int64_t{0}, shape.sequence, row})
      numbers.push_back(static_cast<std::int32_t>(number));
  return numbers;
}

// Two products of [sequence, head_size] and what is computed of [sequence, sequence] a head; five in the gradient.
double attention_work(const AttentionShape& shape, double products) {
  const std::int64_t pairs = shape.causal ? causal_pairs(shape.sequence) : shape.sequence * shape.sequence;
  return products * 2 * static_cast<double>(shape.rows * pairs * hidden(shape));
}

std::span<std::byte> bytes(const Floats& scratch) { return std::as_writable_bytes(scratch.out()); }

// What a kernel and its gradient work on.
template <class T>
struct Attended {
  explicit Attended(const AttentionShape& of)
      : shape(of),
        segments(whole_rows(shape)),
        qkv(uniform<T>(1, 3 * tokens(shape) * hidden(shape))),
        out(tokens(shape) * hidden(shape)),
        log_sum_exp(tokens(shape) * shape.heads) {}

  void run(const kernels::Attention<T>& attention, const Floats& scratch) const {
    attention.run(kPosition, qkv.in(), {segments, shape.rows, shape.sequence}, out.out(), log_sum_exp.out(),
                  bytes(scratch));
  }
  template <class E>
  Doubles first_sample(const Elements<E>& x) const {
    return widen(x.in().first(x.in().size() / static_cast<std::size_t>(shape.rows)));
  }
  AttentionShape one_sample() const {
    AttentionShape one = shape;
    one.rows = 1;
    return one;
  }
  Segments segment() const { return {std::span(segments).first(Segments::kNumbers), 1, shape.sequence}; }

  AttentionShape shape;
  std::vector<std::int32_t> segments;
  Elements<T> qkv, out;
  Floats log_sum_exp;
};

template <class T>
KernelCase attention_case(const AttentionShape& shape, int threads) {
  const auto attention = std::make_shared<const kernels::Attention<T>>(shape, threads);
  const Attended<T> a(shape);
  const Floats scratch(attention->scratch_bytes() / 4);
  return {
      .limit = Limit::products,
      .type = dtype_of<T>,
      .work = attention_work(shape, 2),
      .run = [=] { a.run(*attention, scratch); },
      .compare =
          [=] {
            Doubles y(shape.sequence * hidden(shape)), sums(shape.sequence * shape.heads);
            reference::attention<double>(a.one_sample(), kPosition, a.first_sample(a.qkv), a.segment(), y, sums);
            return std::vector{Comparison{a.first_sample(a.out), y}, Comparison{a.first_sample(a.log_sum_exp), sums}};
          }};
}

template <class T>
KernelCase attention_gradient_case(const AttentionShape& shape, int threads) {
  const auto gradient = std::make_shared<const kernels::AttentionGradient<T>>(shape, threads);
  const Attended<T> a(shape);
  const Elements<T> dout = uniform<T>(2, tokens(shape) * hidden(shape)), dqkv(3 * tokens(shape) * hidden(shape));
  const Floats scratch(gradient->scratch_bytes() / 4);
  const kernels::Attention<T> attention(shape, threads);
  a.run(attention, Floats(attention.scratch_bytes() / 4));
  return {.limit = Limit::products,
          .type = dtype_of<T>,
          .work = attention_work(shape, 5),
          .run =
              [=] {
                gradient->run(kPosition, a.qkv.in(), {a.segments, shape.rows, shape.sequence}, a.out.in(),
                              a.log_sum_exp.in(), dout.in(), dqkv.out(), bytes(scratch));
              },
          .compare =
              [=] {
                Doubles dx(3 * shape.sequence * hidden(shape));
                reference::attention_gradient<double>(a.one_sample(), kPosition, a.first_sample(a.qkv), a.segment(),
                                                      a.first_sample(a.out), a.first_sample(a.log_sum_exp),
                                                      a.first_sample(dout), dx);
                return std::vector{Comparison{a.first_sample(dqkv), dx}};
              }};
}

using MakeCase = KernelCase(const AttentionShape& shape, int threads);

// A causal case is timed in turns with the full one of the same sizes.
KernelEntry entry_of(const std::string& name, const std::string& full_name, const AttentionShape& shape,
                     MakeCase* make) {
  return {name, [=](int threads) {
            KernelCase c = make(shape, threads);
            if (shape.causal) {
              AttentionShape full = shape;
              full.causal = false;
              c.beside = full_name;
              c.run_beside = make(full, threads).run;
            }
            return c;
          }};
}

}  // namespace

KernelEntries attention_cases() {
  return in_both_types([]<class T> {
    KernelEntries entries;
    for (const auto& [kind, shape] :
         {std::pair{"dropout", with_dropout(kFull)}, std::pair{"plain", kFull}, std::pair{"causal", causal(kFull)},
          std::pair{"plain/1024", with_1024_tokens(kFull)}, std::pair{"causal/1024", causal(with_1024_tokens(kFull))}})
      for (const auto& [op, make] :
           {std::pair{"attention", &attention_case<T>}, std::pair{"attention_gradient", &attention_gradient_case<T>}}) {
        const std::string full = shape.sequence == kSequence ? "plain" : "plain/1024";
        entries.push_back(entry_of(case_name<T>(fmt::format("{}/{}", op, kind)),
                                   case_name<T>(fmt::format("{}/{}", op, full)), shape, make));
      }
    return entries;
  });
}

}  // namespace phasor::bench
