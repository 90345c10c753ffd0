// The matrix products of a layer, forward and backward, and of the span head. Verified on the first rows.
#include "bench/kernels/map_case.h"
#include "engine/kernels/matmul.h"
#include "engine/kernels/reference/matmul.h"

namespace phasor::bench {

namespace {

using reference::MatmulShape;

// The first rows of op(a) op(b).
template <class T>
Doubles expected_rows(const MatmulShape& shape, std::span<const T> a, std::span<const T> b) {
  MatmulShape top = shape;
  top.m = 2;
  Doubles rows(top.m * shape.k), product(top.m * shape.n);
  for (std::int64_t i = 0; i < top.m; ++i) {
    for (std::int64_t l = 0; l < shape.k; ++l) {
      rows[shape.transpose_a ? l * top.m + i : i * shape.k + l] =
          to_float(a[shape.transpose_a ? l * shape.m + i : i * shape.k + l]);
    }
  }
  reference::matmul<double>(top, rows, widen(b), product);
  return product;
}

// Operands of type T and a float result, as a weight's gradient has it.
template <class T>
KernelEntry matmul_case(const std::string& name, const MatmulShape& shape) {
  const kernels::ProductShape product_shape{.m = shape.m,
                                            .n = shape.n,
                                            .k = shape.k,
                                            .transpose_a = shape.transpose_a,
                                            .transpose_b = shape.transpose_b,
                                            .operands = dtype_of<T>};
  const auto make = [shape, product_shape](int threads) {
    const auto product = std::make_shared<const kernels::Matmul>(product_shape, threads);
    const Elements<T> a = uniform<T>(1, shape.m * shape.k), b = uniform<T>(2, shape.k * shape.n);
    const Floats c(shape.m * shape.n), scratch(product->scratch_bytes() / 4);
    return KernelCase{.limit = Limit::products,
                      .type = dtype_of<T>,
                      .work = 2.0 * static_cast<double>(shape.m * shape.n * shape.k),
                      .run =
                          [=] {
                            product->run(a.in().data(), b.in().data(), nullptr, c.out().data(),
                                         std::as_writable_bytes(scratch.out()));
                          },
                      .compare =
                          [=] {
                            Doubles expected = expected_rows<T>(shape, a.in(), b.in());
                            return std::vector{Comparison{widen(c.in().first(expected.size())), expected}};
                          },
                      .product = product_shape};
  };
  return {case_name<T>("matmul/" + name), make};
}

}  // namespace

KernelEntries matmul_cases() {
  return in_both_types([]<class T> {
    return KernelEntries{
        matmul_case<T>("qkv", {.m = kTokens, .n = 3 * kHidden, .k = kHidden, .transpose_b = true}),
        matmul_case<T>("hidden", {.m = kTokens, .n = kHidden, .k = kHidden, .transpose_b = true}),
        matmul_case<T>("intermediate", {.m = kTokens, .n = kInner, .k = kHidden, .transpose_b = true}),
        matmul_case<T>("output", {.m = kTokens, .n = kHidden, .k = kInner, .transpose_b = true}),
        matmul_case<T>("intermediate_dx", {.m = kTokens, .n = kHidden, .k = kInner}),
        matmul_case<T>("intermediate_dw", {.m = kInner, .n = kHidden, .k = kTokens, .transpose_a = true}),
        matmul_case<T>("spans", {.m = kTokens, .n = 2, .k = kHidden, .transpose_b = true})};
  });
}

}  // namespace phasor::bench
