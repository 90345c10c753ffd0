#include "engine/kernels/product/blas/widened_product.h"

#include <algorithm>

#include "engine/base/bfloat16.h"
#include "engine/kernels/product/start_sum.h"

namespace phasor::kernels {

namespace {

// Of a tile, at most: they stay in the last cache, and a few hundred steps of sums repay widening.
constexpr std::int64_t kRows = 384, kColumns = 768, kSteps = 384;

struct Scratch {
  explicit Scratch(const ProductShape& s)
      : left(bytes(std::min(s.m, kRows), std::min(s.k, kSteps))),
        right(bytes(std::min(s.n, kColumns), std::min(s.k, kSteps))),
        sums(s.result == DType::bf16 ? bytes(std::min(s.m, kRows), std::min(s.n, kColumns)) : 0) {}

  static std::int64_t bytes(std::int64_t rows, std::int64_t columns) {
    return whole_lines(rows * columns * std::int64_t{sizeof(float)});
  }
  std::int64_t whole() const { return left + right + sums; }

  std::int64_t left, right, sums;
};

// rows x columns from x, tightly into tile.
void widen(const bfloat16* x, std::int64_t stride, std::int64_t rows, std::int64_t columns, float* tile) {
  for (std::int64_t i = 0; i < rows; ++i)
    for (std::int64_t j = 0; j < columns; ++j) tile[i * columns + j] = to_float(x[i * stride + j]);
}

class WidenedProduct final : public Product {
 public:
  WidenedProduct(std::string_view backend, Sgemm sgemm, const ProductShape& shape)
      : backend_(backend), sgemm_(sgemm), s_(shape), bytes_(shape) {}

  std::string_view backend() const override { return backend_; }
  std::int64_t scratch_bytes() const override { return bytes_.whole(); }

  void run(int, const void* a, const void* b, const float* bias, void* c, std::byte* scratch) const override {
    const Call call{.a = static_cast<const bfloat16*>(a),
                    .b = static_cast<const bfloat16*>(b),
                    .bias = bias,
                    .c = c,
                    .left = reinterpret_cast<float*>(scratch),
                    .right = reinterpret_cast<float*>(scratch + bytes_.left),
                    .sums = reinterpret_cast<float*>(scratch + bytes_.left + bytes_.right)};
    for (std::int64_t row = 0; row < s_.m; row += kRows)
      for (std::int64_t column = 0; column < s_.n; column += kColumns) run_tile(call, row, column);
  }

 private:
  struct Call {
    const bfloat16 *a, *b;
    const float* bias;
    void* c;
    float *left, *right, *sums;
  };

  void run_tile(const Call& call, std::int64_t row, std::int64_t column) const {
    const bool rounded = s_.result == DType::bf16;
    ProductShape tile = s_;
    tile.m = std::min(kRows, s_.m - row);
    tile.n = std::min(kColumns, s_.n - column);
    if (rounded) tile.ldc = tile.n;
    float* const sums = rounded ? call.sums : static_cast<float*>(call.c) + row * s_.ldc + column;
    start_sum(tile, s_.bias ? call.bias + column : nullptr, sums);
    tile.accumulate = true;
    for (std::int64_t l = 0; l < s_.k; l += kSteps) {
      tile.k = std::min(kSteps, s_.k - l);
      if (s_.transpose_a) {
        widen(call.a + l * s_.lda + row, s_.lda, tile.k, tile.lda = tile.m, call.left);
      } else {
        widen(call.a + row * s_.lda + l, s_.lda, tile.m, tile.lda = tile.k, call.left);
      }
      if (s_.transpose_b) {
        widen(call.b + column * s_.ldb + l, s_.ldb, tile.n, tile.ldb = tile.k, call.right);
      } else {
        widen(call.b + l * s_.ldb + column, s_.ldb, tile.k, tile.ldb = tile.n, call.right);
      }
      multiply(sgemm_, tile, call.left, call.right, sums);
    }
    if (!rounded) return;
    auto* const result = static_cast<bfloat16*>(call.c) + row * s_.ldc + column;
    for (std::int64_t i = 0; i < tile.m; ++i)
      for (std::int64_t j = 0; j < tile.n; ++j) result[i * s_.ldc + j] = to_bfloat16(sums[i * tile.n + j]);
  }

  std::string_view backend_;
  Sgemm sgemm_;
  ProductShape s_;
  Scratch bytes_;
};

}  // namespace

bool is_for_widening(const ProductShape& s) {
  ProductShape wide = s;
  wide.operands = wide.result = DType::f32;
  return s.operands == DType::bf16 && is_for_blas(wide);
}

std::int64_t widened_scratch_bytes(const ProductShape& shape) { return Scratch(shape).whole(); }

std::unique_ptr<Product> widened_product(std::string_view backend, Sgemm sgemm, const ProductShape& shape) {
  return std::make_unique<WidenedProduct>(backend, sgemm, shape);
}

}  // namespace phasor::kernels
