#include "engine/kernels/product/onednn/onednn_description.h"

#include <string_view>

namespace phasor::kernels {

namespace {

using dnnl::memory;

// rows x columns, stored so or as the transpose.
memory::desc dense(std::int64_t rows, std::int64_t columns, bool transposed, DType type) {
  return {{rows, columns}, onednn_type(type), transposed ? memory::dims{1, rows} : memory::dims{columns, 1}};
}

// oneDNN lays b out as it likes where `b` is of the format `any`.
OneDnnDescription describe(const ProductShape& s, const memory::desc& b) {
  OneDnnDescription d;
  d.a = dense(s.m, s.k, s.transpose_a, s.operands);
  d.b = b;
  d.bias = dense(1, s.n, false, DType::f32);
  d.c = dense(s.m, s.n, false, s.result);
  dnnl::primitive_attr attributes;
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  if (s.accumulate) {
    dnnl::post_ops sum;
    sum.append_sum(1.0f);
    attributes.set_post_ops(sum);
  }
  const OneThread alone;
  d.product = describe_product(d.engine, d.a, d.b, s.bias ? &d.bias : nullptr, d.c, attributes);
  return d;
}

// The implementations called gemm take memory of their own when they run; those called ref are slow.
bool welcome(const dnnl::matmul::primitive_desc& product) {
  if (!product) return false;
  const std::string_view name = product.impl_info_str();
  return !name.starts_with("gemm") && !name.starts_with("ref");
}

}  // namespace

memory::data_type onednn_type(DType type) {
  return type == DType::bf16 ? memory::data_type::bf16 : memory::data_type::f32;
}

// What every product of this b shares, whatever its m: the layout is asked for with one height of c.
std::optional<memory::desc> packed_layout(const ProductShape& s) {
  constexpr std::int64_t kHeight = 256, kWhole = 64;
  if (s.n % kWhole != 0 || s.k % kWhole != 0) return std::nullopt;  // the layout would be padded
  const ProductShape canonical{.m = kHeight, .n = s.n, .k = s.k, .operands = s.operands, .result = s.result};
  const OneDnnDescription d = describe(canonical, {{s.k, s.n}, onednn_type(s.operands), memory::format_tag::any});
  if (!welcome(d.product)) return std::nullopt;
  return d.product.weights_desc();
}

std::optional<OneDnnDescription> describe(const ProductShape& s) {
  std::optional<memory::desc> b = dense(s.k, s.n, s.transpose_b, s.operands);
  if (s.packed_b) b = packed_layout(s);
  if (!b) return std::nullopt;
  OneDnnDescription d = describe(s, *b);
  if (!welcome(d.product)) return std::nullopt;
  return d;
}

}  // namespace phasor::kernels
