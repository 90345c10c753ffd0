#include "engine/ir/ops/rules.h"

namespace phasor::rules {

namespace {

struct Sizes {
  std::int64_t m, n, k;
};

// Operands of any rank count as matrices of their last dimension.
Sizes sizes(std::span<const TensorSpec> inputs, const MatmulAttributes& attributes) {
  expect_inputs("matmul", inputs, 2);
  const Shape &a = inputs[0].shape, &b = inputs[1].shape;
  const auto [m, k] = attributes.transpose_a ? std::pair(a.columns(), a.rows()) : std::pair(a.rows(), a.columns());
  const auto [n, k_of_b] = attributes.transpose_b ? std::pair(b.rows(), b.columns()) : std::pair(b.columns(), b.rows());
  ensure(k == k_of_b, "matmul: a {}{} and b {}{} have inner dimensions {} and {}", to_string(a),
         attributes.transpose_a ? "'" : "", to_string(b), attributes.transpose_b ? "'" : "", k, k_of_b);
  return {m, n, k};
}

}  // namespace

Specs matmul(std::span<const TensorSpec> inputs, const Attributes& attributes) {
  const auto& options = std::get<MatmulAttributes>(attributes);
  const auto [m, n, k] = sizes(inputs, options);
  const Shape& a = inputs[0].shape;
  if (options.transpose_a || a.rank() == 2) return {{DType::f32, {m, n}}};
  ensure(a.rank() == 3, "matmul: a {} has rank {}, expected 2 or 3", to_string(a), a.rank());
  return {{DType::f32, {a[0], a[1], n}}};
}

double matmul_flops(std::span<const TensorSpec> inputs, const Attributes& attributes) {
  const auto [m, n, k] = sizes(inputs, std::get<MatmulAttributes>(attributes));
  return 2.0 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
}

}  // namespace phasor::rules
