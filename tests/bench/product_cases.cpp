// Matrix products and attention. Verified on the first rows, and on the first sample.
#include "engine/base/parallel.h"
#include "engine/kernels/reference/attention.h"
#include "engine/kernels/reference/matmul.h"
#include "tests/bench/kernel_case.h"

namespace phasor::bench {

namespace {

using kernels::AttentionShape;
using kernels::MatmulShape;

Case matmul_case(const std::string& name, const MatmulShape& shape) {
  const Floats& a = keep(test::uniform(1, shape.m * shape.k));
  const Floats& b = keep(test::uniform(2, shape.k * shape.n));
  Floats& c = keep(Floats(shape.m * shape.n));
  return {.name = "matmul/" + name,
          .unit = "GFLOP/s",
          .work = 2.0 * static_cast<double>(shape.m * shape.n * shape.k),
          .run = [=, &a, &b, &c] { kernels::matmul(shape, a, b, c); },
          .results = c,
          .expected =
              [=, &a, &b] {
                MatmulShape top = shape;
                top.m = 2;
                Doubles rows(top.m * shape.k), product(top.m * shape.n);
                for (std::int64_t i = 0; i < top.m; ++i)
                  for (std::int64_t l = 0; l < shape.k; ++l)
                    rows[shape.transpose_a ? l * top.m + i : i * shape.k + l] =
                        a[shape.transpose_a ? l * shape.m + i : i * shape.k + l];
                reference::matmul<double>(top, rows, test::widen(b), product);
                return product;
              }};
}

AttentionShape attention_shape(float dropout) {
  return {
      .batch = kBatch, .sequence = kSequence, .heads = kHeads, .head_size = kHeadSize, .dropout_probability = dropout};
}

// Two products of [sequence, head_size] and [sequence, sequence] a head; five in the gradient.
double attention_work(double products) { return products * 2 * static_cast<double>(kTokens * kSequence * kHidden); }

Doubles first_sample(std::span<const float> x) { return test::widen(x.first(x.size() / kBatch)); }

Case attention_case(const std::string& name, float dropout) {
  const AttentionShape shape = attention_shape(dropout);
  const Floats& qkv = keep(test::uniform(1, 3 * kTokens * kHidden));
  const Floats& mask = keep(Floats(kTokens));
  Floats &out = keep(Floats(kTokens * kHidden)), &log_sum_exp = keep(Floats(kTokens * kHeads));
  Floats& scratch = keep({});
  return {.name = "attention/" + name,
          .unit = "GFLOP/s",
          .work = attention_work(2),
          .run =
              [=, &qkv, &mask, &out, &log_sum_exp, &scratch] {
                scratch.resize(kernels::attention_scratch(shape, threads()));
                kernels::attention(shape, kPosition, qkv, mask, out, log_sum_exp, scratch);
              },
          .results = out,
          .expected =
              [=, &qkv, &mask] {
                AttentionShape one = shape;
                one.batch = 1;
                Doubles y(kSequence * kHidden), sums(kSequence * kHeads);
                reference::attention<double>(one, kPosition, first_sample(qkv), first_sample(mask), y, sums);
                return y;
              }};
}

Case attention_gradient_case(const std::string& name, float dropout) {
  const AttentionShape shape = attention_shape(dropout);
  const Floats& qkv = keep(test::uniform(1, 3 * kTokens * kHidden));
  const Floats& mask = keep(Floats(kTokens));
  const Floats& dout = keep(test::uniform(2, kTokens * kHidden));
  Floats &out = keep(Floats(kTokens * kHidden)), &log_sum_exp = keep(Floats(kTokens * kHeads));
  Floats scratch(kernels::attention_scratch(shape, threads()));
  kernels::attention(shape, kPosition, qkv, mask, out, log_sum_exp, scratch);
  Floats &dqkv = keep(Floats(qkv.size())), &gradient_scratch = keep({});
  return {
      .name = "attention_gradient/" + name,
      .unit = "GFLOP/s",
      .work = attention_work(5),
      .run =
          [=, &qkv, &mask, &out, &log_sum_exp, &dout, &dqkv, &gradient_scratch] {
            gradient_scratch.resize(kernels::attention_gradient_scratch(shape, threads()));
            kernels::attention_gradient(shape, kPosition, qkv, mask, out, log_sum_exp, dout, dqkv, gradient_scratch);
          },
      .results = dqkv,
      .expected =
          [=, &qkv, &mask, &out, &log_sum_exp, &dout] {
            AttentionShape one = shape;
            one.batch = 1;
            Doubles dx(3 * kSequence * kHidden);
            reference::attention_gradient<double>(one, kPosition, first_sample(qkv), first_sample(mask),
                                                  first_sample(out), first_sample(log_sum_exp), first_sample(dout), dx);
            return dx;
          }};
}

}  // namespace

std::vector<Case> product_cases() {
  return {matmul_case("hidden", {.m = kTokens, .n = kHidden, .k = kHidden}),
          matmul_case("qkv", {.m = kTokens, .n = 3 * kHidden, .k = kHidden}),
          matmul_case("intermediate", {.m = kTokens, .n = kInner, .k = kHidden}),
          matmul_case("output", {.m = kTokens, .n = kHidden, .k = kInner}),
          matmul_case("intermediate_dx", {.m = kTokens, .n = kHidden, .k = kInner, .transpose_b = true}),
          matmul_case("intermediate_dw", {.m = kHidden, .n = kInner, .k = kTokens, .transpose_a = true}),
          matmul_case("spans", {.m = kTokens, .n = 2, .k = kHidden}),
          attention_case("dropout", 0.1f),
          attention_case("plain", 0),
          attention_gradient_case("dropout", 0.1f),
          attention_gradient_case("plain", 0)};
}

}  // namespace phasor::bench
