// Plain loops: serves every shape, and shows what the other backends compute.
#include "engine/base/bfloat16.h"
#include "engine/kernels/product/product_backends.h"

namespace phasor::kernels {

namespace {

template <class Operand, class Result>
class ReferenceProduct final : public Product {
 public:
  explicit ReferenceProduct(const ProductShape& shape) : s_(shape) {}

  std::string_view backend() const override { return "reference"; }
  std::int64_t scratch_bytes() const override { return 0; }

  void run(int, const void* a, const void* b, const float* bias, void* c, std::byte*) const override {
    const auto* left = static_cast<const Operand*>(a);
    const auto* right = static_cast<const Operand*>(b);
    for (std::int64_t i = 0; i < s_.m; ++i)
      for (std::int64_t j = 0; j < s_.n; ++j) {
        float sum = 0;
        for (std::int64_t l = 0; l < s_.k; ++l)
          sum += to_float(left[s_.transpose_a ? l * s_.lda + i : i * s_.lda + l]) *
                 to_float(right[s_.transpose_b ? j * s_.ldb + l : l * s_.ldb + j]);
        if (s_.bias) sum += bias[j];
        Result& result = static_cast<Result*>(c)[i * s_.ldc + j];
        result = from_float<Result>(s_.accumulate ? to_float(result) + sum : sum);
      }
  }

 private:
  ProductShape s_;
};

std::unique_ptr<Product> make(const ProductShape& s, int) {
  if (s.result == DType::bf16) return std::make_unique<ReferenceProduct<bfloat16, bfloat16>>(s);
  if (s.operands == DType::bf16) return std::make_unique<ReferenceProduct<bfloat16, float>>(s);
  return std::make_unique<ReferenceProduct<float, float>>(s);
}

}  // namespace

ProductBackend reference_products() {
  return {.name = "reference",
          .serves = [](const ProductShape& s) { return !s.packed_b; },
          .scratch_bytes = [](const ProductShape&) -> std::int64_t { return 0; },
          .make = make};
}

}  // namespace phasor::kernels
