// Matrix products and attention. Verified on the first rows, and on the first sample.
#include <fmt/format.h>
#include <memory>
#include <thread>

#include "engine/base/bfloat16.h"
#include "engine/kernels/reference/attention.h"
#include "engine/kernels/reference/matmul.h"
#include "tests/bench/kernel_case.h"

namespace phasor::bench {

namespace {

using kernels::AttentionShape;
using kernels::MatmulShape;
using kernels::ProductShape;

template <class T>
using Buffer = test::Buffer<T>;

// Within so many roundings of what T stores, relative to the largest result.
template <class T>
constexpr double kTolerance = 4096 * 0x1p-24;
template <>
constexpr double kTolerance<bfloat16> = 16 * 0x1p-8;

template <class T>
Buffer<T>& stored(std::uint64_t seed, std::int64_t count) {
  const Floats x = test::uniform(seed, count);
  Buffer<T>& y = keep(Buffer<T>(x.size()));
  for (std::size_t i = 0; i < x.size(); ++i) y[i] = from_float<T>(x[i]);
  return y;
}

template <class T>
Doubles loaded(std::span<const T> x) {
  Doubles y(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) y[i] = to_float(x[i]);
  return y;
}

int most_threads() { return static_cast<int>(std::max(1U, std::thread::hardware_concurrency())); }

// The first rows of the product.
template <class T>
Doubles first_rows(const ProductShape& s, const Buffer<T>& a, const Buffer<T>& b) {
  const MatmulShape top{.m = 2, .n = s.n, .k = s.k, .transpose_a = s.transpose_a, .transpose_b = s.transpose_b};
  Doubles rows(top.m * s.k), product(top.m * s.n);
  for (std::int64_t i = 0; i < top.m; ++i)
    for (std::int64_t l = 0; l < s.k; ++l)
      rows[s.transpose_a ? l * top.m + i : i * s.k + l] = to_float(a[s.transpose_a ? l * s.m + i : i * s.k + l]);
  reference::matmul<double>(top, rows, loaded<T>(b), product);
  return product;
}

template <class T, class Result = T>
Case matmul_case(const std::string& name, ProductShape shape) {
  shape.operands = dtype_of<T>;
  shape.result = dtype_of<Result>;
  const auto matmul = std::make_shared<kernels::Matmul>(shape, most_threads());
  const Buffer<T>&a = stored<T>(1, shape.m * shape.k), &b = stored<T>(2, shape.k * shape.n);
  Buffer<Result>& c = keep(Buffer<Result>(shape.m * shape.n));
  Buffer<std::byte>& scratch = keep(Buffer<std::byte>(matmul->scratch_bytes()));
  return {.name = fmt::format("matmul/{}/{}/{}", name, name_of(shape.operands), matmul->backend()),
          .unit = "GFLOP/s",
          .work = 2.0 * static_cast<double>(shape.m * shape.n * shape.k),
          .run = [=, &a, &b, &c, &scratch] { matmul->run(a.data(), b.data(), nullptr, c.data(), scratch); },
          .results = c,
          .expected = [=, &a, &b] { return first_rows<T>(shape, a, b); },
          .tolerance = kTolerance<Result>};
}

AttentionShape attention_shape(float dropout) {
  return {
      .batch = kBatch, .sequence = kSequence, .heads = kHeads, .head_size = kHeadSize, .dropout_probability = dropout};
}
AttentionShape first_sample(AttentionShape shape) {
  shape.batch = 1;
  return shape;
}
template <class T>
Doubles first_sample(const Buffer<T>& x) {
  return loaded<T>(std::span(x).first(x.size() / kBatch));
}

// Two products of [sequence, head_size] and [sequence, sequence] a head; five in the gradient.
double attention_work(double products) { return products * 2 * static_cast<double>(kTokens * kSequence * kHidden); }

template <class T>
Case attention_case(const std::string& name, float dropout) {
  const AttentionShape shape = attention_shape(dropout);
  const auto attention = std::make_shared<kernels::Attention<T>>(shape, most_threads());
  const Buffer<T>& qkv = stored<T>(1, 3 * kTokens * kHidden);
  const Floats& mask = keep(Floats(kTokens));
  Buffer<T>& out = keep(Buffer<T>(kTokens * kHidden));
  Floats& log_sum_exp = keep(Floats(kTokens * kHeads));
  Buffer<std::byte>& scratch = keep(Buffer<std::byte>(attention->scratch_bytes()));
  return {.name = fmt::format("attention/{}/{}", name, name_of(dtype_of<T>)),
          .unit = "GFLOP/s",
          .work = attention_work(2),
          .run = [=, &qkv, &mask, &out, &log_sum_exp,
                  &scratch] { attention->run(kPosition, qkv, mask, out, log_sum_exp, scratch); },
          .results = out,
          .expected =
              [=, &qkv, &mask] {
                Doubles y(kSequence * kHidden), sums(kSequence * kHeads);
                reference::attention<double>(first_sample(shape), kPosition, first_sample(qkv), first_sample(mask), y,
                                             sums);
                return y;
              },
          .tolerance = kTolerance<T>};
}

template <class T>
Case attention_gradient_case(const std::string& name, float dropout) {
  const AttentionShape shape = attention_shape(dropout);
  const auto gradient = std::make_shared<kernels::AttentionGradient<T>>(shape, most_threads());
  const Buffer<T>&qkv = stored<T>(1, 3 * kTokens * kHidden), &dout = stored<T>(2, kTokens * kHidden);
  const Floats& mask = keep(Floats(kTokens));
  Buffer<T>&out = keep(Buffer<T>(kTokens * kHidden)), &dqkv = keep(Buffer<T>(qkv.size()));
  Floats& log_sum_exp = keep(Floats(kTokens * kHeads));
  Buffer<std::byte>& scratch = keep(Buffer<std::byte>(gradient->scratch_bytes()));
  const kernels::Attention<T> forward(shape, 1);
  forward.run(kPosition, qkv, mask, out, log_sum_exp, keep(Buffer<std::byte>(forward.scratch_bytes())));
  return {.name = fmt::format("attention_gradient/{}/{}", name, name_of(dtype_of<T>)),
          .unit = "GFLOP/s",
          .work = attention_work(5),
          .run = [=, &qkv, &mask, &out, &log_sum_exp, &dout, &dqkv,
                  &scratch] { gradient->run(kPosition, qkv, mask, out, log_sum_exp, dout, dqkv, scratch); },
          .results = dqkv,
          .expected =
              [=, &qkv, &mask, &out, &log_sum_exp, &dout] {
                Doubles dx(3 * kSequence * kHidden);
                reference::attention_gradient<double>(first_sample(shape), kPosition, first_sample(qkv),
                                                      first_sample(mask), first_sample(out), first_sample(log_sum_exp),
                                                      first_sample(dout), dx);
                return dx;
              },
          .tolerance = kTolerance<T>};
}

template <class T>
void add_cases(std::vector<Case>& cases) {
  const ProductShape weights_gradient{.k = kTokens, .transpose_a = true, .accumulate = true};
  ProductShape inner_dw = weights_gradient, outer_dw = weights_gradient;
  inner_dw.m = outer_dw.n = kInner;
  inner_dw.n = outer_dw.m = kHidden;
  for (Case& more : std::vector<Case>{
           matmul_case<T>("hidden", {.m = kTokens, .n = kHidden, .k = kHidden, .transpose_b = true}),
           matmul_case<T>("qkv", {.m = kTokens, .n = 3 * kHidden, .k = kHidden, .transpose_b = true}),
           matmul_case<T>("intermediate", {.m = kTokens, .n = kInner, .k = kHidden, .transpose_b = true}),
           matmul_case<T>("output", {.m = kTokens, .n = kHidden, .k = kInner, .transpose_b = true}),
           matmul_case<T>("intermediate_dx", {.m = kTokens, .n = kHidden, .k = kInner}),
           matmul_case<T, float>("intermediate_dw", inner_dw), matmul_case<T, float>("output_dw", outer_dw),
           matmul_case<T>("spans", {.m = kTokens, .n = 2, .k = kHidden, .transpose_b = true}),
           attention_case<T>("dropout", 0.1f), attention_case<T>("plain", 0),
           attention_gradient_case<T>("dropout", 0.1f), attention_gradient_case<T>("plain", 0)})
    cases.push_back(std::move(more));
}

}  // namespace

std::vector<Case> product_cases() {
  std::vector<Case> cases;
  add_cases<float>(cases);
  add_cases<bfloat16>(cases);
  return cases;
}

}  // namespace phasor::bench
