#include "engine/ir/ops/input_specs.h"

namespace phasor::rules {

namespace {

struct Sizes {
  std::int64_t m, n, k;
};

// Operands of any rank count as matrices of their last dimension.
Sizes sizes(const TensorSpec& left, const TensorSpec& right, const MatmulAttributes& attributes) {
  const Shape &a = left.shape, &b = right.shape;
  const auto [m, k] = attributes.transpose_a ? std::pair(a.columns(), a.rows()) : std::pair(a.rows(), a.columns());
  const auto [n, k_of_b] = attributes.packed_columns > 0 ? std::pair(attributes.packed_columns, k)
                           : attributes.transpose_b      ? std::pair(b.rows(), b.columns())
                                                         : std::pair(b.columns(), b.rows());
  ensure(k == k_of_b, "matmul: a {}{} and b {}{} have inner dimensions {} and {}", to_string(a),
         attributes.transpose_a ? "'" : "", to_string(b), attributes.transpose_b ? "'" : "", k, k_of_b);
  ensure(left.dtype == right.dtype && is_real(left.dtype), "matmul: a is {} and b is {}", to_string(left),
         to_string(right));
  ensure(attributes.result == DType::f32 || attributes.result == left.dtype, "matmul: operands {} for a result in {}",
         name_of(left.dtype), name_of(attributes.result));
  return {m, n, k};
}

template <Op op>
Sizes sizes(const InputSpecs<op>& in, const Attributes& attributes) {
  return sizes(in["a"], in["b"], std::get<MatmulAttributes>(attributes));
}

double flops(const Sizes& sizes) {
  const auto [m, n, k] = sizes;
  return 2.0 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
}

}  // namespace

// y = a b + bias;  bias [n]
Specs matmul(std::span<const TensorSpec> inputs, const Attributes& attributes) {
  const InputSpecs<Op::matmul> in(inputs);
  const auto& options = std::get<MatmulAttributes>(attributes);
  const auto [m, n, k] = sizes(in, attributes);
  if (in.has("bias")) in.expect("bias", {DType::f32, {n}});
  const Shape& a = in["a"].shape;
  if (options.transpose_a || a.rank() == 2) return {{options.result, {m, n}}};
  ensure(a.rank() == 3, "matmul: a {} has rank {}, expected 2 or 3", to_string(a), a.rank());
  return {{options.result, {a[0], a[1], n}}};
}

// y = sum + a b
Specs matmul_add(std::span<const TensorSpec> inputs, const Attributes& attributes) {
  const InputSpecs<Op::matmul_add> in(inputs);
  const auto [m, n, k] = sizes(in, attributes);
  in.expect("sum", {DType::f32, {m, n}});
  return {in["sum"]};
}

// Each b -> a vector of its packed elements.
Specs pack(std::span<const TensorSpec> inputs, const Attributes& attributes) {
  const auto& operands = std::get<PackAttributes>(attributes).operands;
  ensure(inputs.size() == operands.size(), "pack: {} inputs, but attributes of {}", inputs.size(), operands.size());
  Specs packed;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    ensure(operands[i].elements >= inputs[i].elements(), "pack: {} into {} elements", to_string(inputs[i]),
           operands[i].elements);
    packed.push_back({inputs[i].dtype, {operands[i].elements}});
  }
  return packed;
}

double matmul_flops(std::span<const TensorSpec> inputs, const Attributes& attributes) {
  return flops(sizes(InputSpecs<Op::matmul>(inputs), attributes));
}
double matmul_add_flops(std::span<const TensorSpec> inputs, const Attributes& attributes) {
  return flops(sizes(InputSpecs<Op::matmul_add>(inputs), attributes));
}

}  // namespace phasor::rules
