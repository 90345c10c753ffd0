// The matrix products of a layer, forward and backward, and of the span head. Verified on the first rows.
#include "bench/kernels/table.h"
#include "engine/kernels/matmul.h"
#include "engine/kernels/reference/matmul.h"

namespace phasor::bench {

namespace {

using kernels::MatmulShape;

// The first rows of op(a) op(b).
Doubles expected_rows(const MatmulShape& shape, std::span<const float> a, std::span<const float> b) {
  MatmulShape top = shape;
  top.m = 2;
  Doubles rows(top.m * shape.k), product(top.m * shape.n);
  for (std::int64_t i = 0; i < top.m; ++i) {
    for (std::int64_t l = 0; l < shape.k; ++l) {
      rows[shape.transpose_a ? l * top.m + i : i * shape.k + l] =
          a[shape.transpose_a ? l * shape.m + i : i * shape.k + l];
    }
  }
  reference::matmul<double>(top, rows, widen(b), product);
  return product;
}

KernelEntry matmul_case(const std::string& name, const MatmulShape& shape) {
  const auto make = [shape](int) {
    const Floats a = uniform(1, shape.m * shape.k), b = uniform(2, shape.k * shape.n), c(shape.m * shape.n);
    return KernelCase{.limit = Limit::products,
                      .work = 2.0 * static_cast<double>(shape.m * shape.n * shape.k),
                      .run = [=] { kernels::matmul(shape, a.in(), b.in(), c.out()); },
                      .compare =
                          [=] {
                            Doubles expected = expected_rows(shape, a.in(), b.in());
                            return std::vector{Comparison{widen(c.in().first(expected.size())), expected}};
                          }};
  };
  return {"matmul/" + name, make};
}

}  // namespace

KernelEntries matmul_cases() {
  return {matmul_case("qkv", {.m = kTokens, .n = 3 * kHidden, .k = kHidden, .transpose_b = true}),
          matmul_case("hidden", {.m = kTokens, .n = kHidden, .k = kHidden, .transpose_b = true}),
          matmul_case("intermediate", {.m = kTokens, .n = kInner, .k = kHidden, .transpose_b = true}),
          matmul_case("output", {.m = kTokens, .n = kHidden, .k = kInner, .transpose_b = true}),
          matmul_case("intermediate_dx", {.m = kTokens, .n = kHidden, .k = kInner}),
          matmul_case("intermediate_dw", {.m = kInner, .n = kHidden, .k = kTokens, .transpose_a = true}),
          matmul_case("spans", {.m = kTokens, .n = 2, .k = kHidden, .transpose_b = true})};
}

}  // namespace phasor::bench
