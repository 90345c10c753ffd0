// Attention and its gradient, with dropout and without. Verified on the first sample.
#include "bench/kernels/table.h"
#include "engine/base/parallel.h"
#include "engine/kernels/reference/attention.h"

namespace phasor::bench {

namespace {

using kernels::AttentionShape;

AttentionShape attention_shape(float dropout) {
  return {
      .batch = kBatch, .sequence = kSequence, .heads = kHeads, .head_size = kHeadSize, .dropout_probability = dropout};
}

AttentionShape one_sample(AttentionShape shape) {
  shape.batch = 1;
  return shape;
}

// Two products of [sequence, head_size] and [sequence, sequence] a head; five in the gradient.
double attention_work(double products) { return products * 2 * static_cast<double>(kTokens * kSequence * kHidden); }

Doubles first_sample(const Floats& x) { return widen(x.in().first(x.in().size() / kBatch)); }

KernelCase attention_case(const AttentionShape& shape, int threads) {
  const Floats qkv = uniform(1, 3 * kTokens * kHidden), mask(kTokens);
  const Floats out(kTokens * kHidden), log_sum_exp(kTokens * kHeads);
  const Floats scratch(kernels::attention_scratch(shape, threads));
  return {.limit = Limit::products,
          .work = attention_work(2),
          .run =
              [=] {
                kernels::attention(shape, kPosition, qkv.in(), mask.in(), out.out(), log_sum_exp.out(), scratch.out());
              },
          .compare =
              [=] {
                Doubles y(kSequence * kHidden), sums(kSequence * kHeads);
                reference::attention<double>(one_sample(shape), kPosition, first_sample(qkv), first_sample(mask), y,
                                             sums);
                return std::vector{Comparison{first_sample(out), y}, Comparison{first_sample(log_sum_exp), sums}};
              }};
}

KernelCase attention_gradient_case(const AttentionShape& shape, int threads) {
  const Floats qkv = uniform(1, 3 * kTokens * kHidden), mask(kTokens), dout = uniform(2, kTokens * kHidden);
  const Floats out(kTokens * kHidden), log_sum_exp(kTokens * kHeads), dqkv(3 * kTokens * kHidden);
  const Floats forward_scratch(kernels::attention_scratch(shape, threads));
  kernels::attention(shape, kPosition, qkv.in(), mask.in(), out.out(), log_sum_exp.out(), forward_scratch.out());
  const Floats scratch(kernels::attention_gradient_scratch(shape, threads));
  return {.limit = Limit::products,
          .work = attention_work(5),
          .run =
              [=] {
                kernels::attention_gradient(shape, kPosition, qkv.in(), mask.in(), out.in(), log_sum_exp.in(),
                                            dout.in(), dqkv.out(), scratch.out());
              },
          .compare =
              [=] {
                Doubles dx(3 * kSequence * kHidden);
                reference::attention_gradient<double>(one_sample(shape), kPosition, first_sample(qkv),
                                                      first_sample(mask), first_sample(out), first_sample(log_sum_exp),
                                                      first_sample(dout), dx);
                return std::vector{Comparison{first_sample(dqkv), dx}};
              }};
}

}  // namespace

KernelEntries attention_cases() {
  KernelEntries entries;
  for (const auto& [name, dropout] : {std::pair{"dropout", 0.1f}, std::pair{"plain", 0.0f}}) {
    const AttentionShape shape = attention_shape(dropout);
    entries.push_back(
        {fmt::format("attention/{}", name), [shape](int threads) { return attention_case(shape, threads); }});
    entries.push_back({fmt::format("attention_gradient/{}", name),
                       [shape](int threads) { return attention_gradient_case(shape, threads); }});
  }
  return entries;
}

}  // namespace phasor::bench
