// Attention and its gradient, with dropout and without. Verified on the first sample.
#include <array>

#include "bench/kernels/map_case.h"
#include "engine/kernels/attention.h"
#include "engine/kernels/reference/attention.h"

namespace phasor::bench {

namespace {

using kernels::AttentionShape;

AttentionShape attention_shape(float dropout) {
  return {
      .rows = kBatch, .sequence = kSequence, .heads = kHeads, .head_size = kHeadSize, .dropout_probability = dropout};
}

AttentionShape one_sample(AttentionShape shape) {
  shape.rows = 1;
  return shape;
}

// A sample that fills its row in each of so many rows.
Segments whole_rows(std::int64_t rows) {
  static constexpr auto kNumbers = [] {
    std::array<std::int32_t, kBatch * Segments::kNumbers> numbers{};
    for (std::int32_t row = 0; row < kBatch; ++row) {
      numbers[row * Segments::kNumbers + 1] = kSequence;
      numbers[row * Segments::kNumbers + 2] = row;
    }
    return numbers;
  }();
  return {std::span(kNumbers).first(rows * Segments::kNumbers), rows, kSequence};
}

// Two products of [sequence, head_size] and [sequence, sequence] a head; five in the gradient.
double attention_work(double products) { return products * 2 * static_cast<double>(kTokens * kSequence * kHidden); }

template <class T>
Doubles first_sample(const Elements<T>& x) {
  return widen(x.in().first(x.in().size() / kBatch));
}

std::span<std::byte> bytes(const Floats& scratch) { return std::as_writable_bytes(scratch.out()); }

template <class T>
KernelCase attention_case(const AttentionShape& shape, int threads) {
  const auto attention = std::make_shared<const kernels::Attention<T>>(shape, threads);
  const Elements<T> qkv = uniform<T>(1, 3 * kTokens * kHidden), out(kTokens * kHidden);
  const Floats log_sum_exp(kTokens * kHeads), scratch(attention->scratch_bytes() / 4);
  return {.limit = Limit::products,
          .type = dtype_of<T>,
          .work = attention_work(2),
          .run =
              [=] {
                attention->run(kPosition, qkv.in(), whole_rows(kBatch), out.out(), log_sum_exp.out(), bytes(scratch));
              },
          .compare =
              [=] {
                Doubles y(kSequence * kHidden), sums(kSequence * kHeads);
                reference::attention<double>(one_sample(shape), kPosition, first_sample(qkv), whole_rows(1), y, sums);
                return std::vector{Comparison{first_sample(out), y}, Comparison{first_sample(log_sum_exp), sums}};
              }};
}

template <class T>
KernelCase attention_gradient_case(const AttentionShape& shape, int threads) {
  const auto gradient = std::make_shared<const kernels::AttentionGradient<T>>(shape, threads);
  const Elements<T> qkv = uniform<T>(1, 3 * kTokens * kHidden), dout = uniform<T>(2, kTokens * kHidden);
  const Elements<T> out(kTokens * kHidden), dqkv(3 * kTokens * kHidden);
  const Floats log_sum_exp(kTokens * kHeads), scratch(gradient->scratch_bytes() / 4);
  const kernels::Attention<T> attention(shape, threads);
  const Floats forward_scratch(attention.scratch_bytes() / 4);
  attention.run(kPosition, qkv.in(), whole_rows(kBatch), out.out(), log_sum_exp.out(), bytes(forward_scratch));
  return {.limit = Limit::products,
          .type = dtype_of<T>,
          .work = attention_work(5),
          .run =
              [=] {
                gradient->run(kPosition, qkv.in(), whole_rows(kBatch), out.in(), log_sum_exp.in(), dout.in(),
                              dqkv.out(), bytes(scratch));
              },
          .compare =
              [=] {
                Doubles dx(3 * kSequence * kHidden);
                reference::attention_gradient<double>(one_sample(shape), kPosition, first_sample(qkv), whole_rows(1),
                                                      first_sample(out), first_sample(log_sum_exp), first_sample(dout),
                                                      dx);
                return std::vector{Comparison{first_sample(dqkv), dx}};
              }};
}

}  // namespace

KernelEntries attention_cases() {
  return in_both_types([]<class T> {
    KernelEntries entries;
    for (const auto& [name, dropout] : {std::pair{"dropout", 0.1f}, std::pair{"plain", 0.0f}}) {
      const AttentionShape shape = attention_shape(dropout);
      entries.push_back({case_name<T>(fmt::format("attention/{}", name)),
                         [shape](int threads) { return attention_case<T>(shape, threads); }});
      entries.push_back({case_name<T>(fmt::format("attention_gradient/{}", name)),
                         [shape](int threads) { return attention_gradient_case<T>(shape, threads); }});
    }
    return entries;
  });
}

}  // namespace phasor::bench
