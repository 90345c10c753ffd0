#include "engine/kernels/product/panels/panel_trial.h"

#include <array>
#include <limits>
#include <vector>

#include "engine/kernels/product/panels/panel_product.h"
#include "engine/kernels/product/product_backends.h"

namespace phasor::kernels {

namespace {

// Scratch starts at a multiple of 64 bytes.
struct alignas(64) CacheLine {
  std::array<std::byte, 64> bytes;
};

// Elements differ by row and column, and so do a's from b's.
float element(std::int64_t row, std::int64_t column, std::int64_t prime) {
  return static_cast<float>((row * prime + column * 5) % 17 - 8);
}

std::vector<float> stored(std::int64_t rows, std::int64_t columns, bool transposed, std::int64_t prime) {
  std::vector<float> values(static_cast<std::size_t>(rows * columns));
  for (std::int64_t i = 0; i < rows; ++i)
    for (std::int64_t j = 0; j < columns; ++j)
      values[static_cast<std::size_t>(transposed ? j * rows + i : i * columns + j)] = element(i, j, prime);
  return values;
}

bool multiplies(const PanelKernel& kernel, const ProductShape& s) {
  constexpr std::int64_t kPrimeOfA = 3, kPrimeOfB = 7;
  const PanelProduct product({}, kernel, s, 1);
  const std::vector<float> a = stored(s.m, s.k, s.transpose_a, kPrimeOfA),
                           b = stored(s.k, s.n, s.transpose_b, kPrimeOfB), bias = stored(1, s.n, false, kPrimeOfA);
  std::vector<float> c(static_cast<std::size_t>(s.m * s.n), std::numeric_limits<float>::quiet_NaN());
  std::vector<CacheLine> scratch(static_cast<std::size_t>(product.scratch_bytes()) / sizeof(CacheLine));
  product.run(0, a.data(), b.data(), bias.data(), c.data(), scratch.front().bytes.data());
  for (std::int64_t i = 0; i < s.m; ++i)
    for (std::int64_t j = 0; j < s.n; ++j) {
      float sum = s.bias ? bias[static_cast<std::size_t>(j)] : 0;
      for (std::int64_t step = 0; step < s.k; ++step) sum += element(i, step, kPrimeOfA) * element(step, j, kPrimeOfB);
      if (c[static_cast<std::size_t>(i * s.n + j)] != sum) return false;
    }
  return true;
}

}  // namespace

bool multiplies(const PanelKernel& kernel) {
  for (const bool transpose_a : {false, true})
    for (const bool transpose_b : {false, true})
      for (const bool bias : {false, true}) {  // which nothing begins with
        const ProductShape s{.m = 2 * kernel.rows + 1,
                             .n = 3 * kernel.columns + 1,
                             .k = 11,
                             .transpose_a = transpose_a,
                             .transpose_b = transpose_b,
                             .bias = bias};
        if (!multiplies(kernel, whole(s))) return false;
      }
  return true;
}

}  // namespace phasor::kernels
