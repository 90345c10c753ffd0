// Products by Eigen: f32 as it is; bf16 tile by tile, converted to f32 in scratch. Eigen takes what it packs operands
// into from the stack, or from the heap where that is more than 128 KiB.
#include <algorithm>

#include "engine/base/bfloat16.h"
#include "engine/kernels/product/matrix.h"
#include "engine/kernels/product/product_backends.h"
#include "engine/kernels/product/start_sum.h"

namespace phasor::kernels {

namespace {

// c += op(a) op(b), in f32.
void multiply(const ProductShape& s, const float* a, const float* b, float* c) {
  Matrix result(c, s.m, s.n, Stride(s.ldc));
  const auto times_b = [&](const auto& left) {
    if (s.transpose_b) {
      result.noalias() += left * ConstMatrix(b, s.n, s.k, Stride(s.ldb)).transpose();
    } else {
      result.noalias() += left * ConstMatrix(b, s.k, s.n, Stride(s.ldb));
    }
  };
  if (s.transpose_a) {
    times_b(ConstMatrix(a, s.k, s.m, Stride(s.lda)).transpose());
  } else {
    times_b(ConstMatrix(a, s.m, s.k, Stride(s.lda)));
  }
}

class EigenProduct final : public Product {
 public:
  explicit EigenProduct(const ProductShape& shape) : s_(shape) {}

  std::string_view backend() const override { return "eigen"; }
  std::int64_t scratch_bytes() const override { return 0; }

  void run(int, const void* a, const void* b, const float* bias, void* c, std::byte*) const override {
    auto* const result = static_cast<float*>(c);
    start_sum(s_, bias, result);
    multiply(s_, static_cast<const float*>(a), static_cast<const float*>(b), result);
  }

 private:
  ProductShape s_;
};

constexpr std::int64_t kTile = 256;  // rows and columns of a tile; a few of them stay in the second-level cache
constexpr std::int64_t kTileBytes = kTile * kTile * sizeof(float);

// rows x columns from x, tightly into tile.
void widen_tile(const bfloat16* x, std::int64_t stride, std::int64_t rows, std::int64_t columns, float* tile) {
  for (std::int64_t i = 0; i < rows; ++i)
    for (std::int64_t j = 0; j < columns; ++j) tile[i * columns + j] = to_float(x[i * stride + j]);
}

class EigenBfloat16Product final : public Product {
 public:
  explicit EigenBfloat16Product(const ProductShape& shape) : s_(shape) {}

  static std::int64_t scratch(const ProductShape& s) { return (s.result == DType::bf16 ? 3 : 2) * kTileBytes; }

  std::string_view backend() const override { return "eigen"; }
  std::int64_t scratch_bytes() const override { return scratch(s_); }

  void run(int, const void* a, const void* b, const float* bias, void* c, std::byte* scratch) const override {
    const Call call{static_cast<const bfloat16*>(a), static_cast<const bfloat16*>(b), bias, c,
                    reinterpret_cast<float*>(scratch)};
    for (std::int64_t row = 0; row < s_.m; row += kTile)
      for (std::int64_t column = 0; column < s_.n; column += kTile) run_tile(call, row, column);
  }

 private:
  struct Call {
    const bfloat16 *a, *b;
    const float* bias;
    void* c;
    float* tiles;
  };

  void run_tile(const Call& call, std::int64_t row, std::int64_t column) const {
    ProductShape tile = s_;
    tile.m = std::min(kTile, s_.m - row);
    tile.n = std::min(kTile, s_.n - column);
    const bool rounded = s_.result == DType::bf16;
    constexpr std::int64_t kFloats = kTile * kTile;
    float *const left = call.tiles, *const right = left + kFloats;
    float* const sums = rounded ? right + kFloats : static_cast<float*>(call.c) + row * s_.ldc + column;
    if (rounded) tile.ldc = tile.n;
    start_sum(tile, s_.bias ? call.bias + column : nullptr, sums);
    for (std::int64_t l = 0; l < s_.k; l += kTile) {
      tile.k = std::min(kTile, s_.k - l);
      if (s_.transpose_a) {
        widen_tile(call.a + l * s_.lda + row, s_.lda, tile.k, tile.lda = tile.m, left);
      } else {
        widen_tile(call.a + row * s_.lda + l, s_.lda, tile.m, tile.lda = tile.k, left);
      }
      if (s_.transpose_b) {
        widen_tile(call.b + column * s_.ldb + l, s_.ldb, tile.n, tile.ldb = tile.k, right);
      } else {
        widen_tile(call.b + l * s_.ldb + column, s_.ldb, tile.k, tile.ldb = tile.n, right);
      }
      multiply(tile, left, right, sums);
    }
    if (!rounded) return;
    auto* const result = static_cast<bfloat16*>(call.c) + row * s_.ldc + column;
    for (std::int64_t i = 0; i < tile.m; ++i)
      for (std::int64_t j = 0; j < tile.n; ++j) result[i * s_.ldc + j] = to_bfloat16(sums[i * tile.n + j]);
  }

  ProductShape s_;
};

}  // namespace

ProductBackend eigen_products() {
  return {.name = "eigen",
          .serves = [](const ProductShape& s) { return !s.packed_b && s.m > 0 && s.n > 0 && s.k > 0; },
          .scratch_bytes =
              [](const ProductShape& s) {
                return s.operands == DType::bf16 ? EigenBfloat16Product::scratch(s) : std::int64_t{0};
              },
          .make = [](const ProductShape& s, int) -> std::unique_ptr<Product> {
            if (s.operands == DType::bf16) return std::make_unique<EigenBfloat16Product>(s);
            return std::make_unique<EigenProduct>(s);
          }};
}

}  // namespace phasor::kernels
