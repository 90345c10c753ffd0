#include "engine/kernels/matmul.h"

#include "engine/base/tensor.h"
#include "engine/kernels/reference/matmul.h"
#include "tests/engine/kernels/product/product_case.h"
#include "tests/support/teams.h"

namespace phasor::kernels {
namespace {

using namespace phasor::test;

struct MatmulSizes {
  std::int64_t m, n, k;
};
// Nothing, vectors, primes, both sides of a tile's border, and enough tiles to share out.
constexpr MatmulSizes kMatmulSizes[] = {{0, 3, 5},      {3, 0, 5},      {3, 5, 0},    {1, 1, 1},    {1, 37, 64},
                                        {37, 1, 64},    {7, 5, 3},      {17, 31, 13}, {64, 48, 16}, {257, 2, 129},
                                        {255, 257, 19}, {300, 530, 67}, {2, 300, 31}, {1, 1, 1000}, {97, 1031, 8}};

using Inputs = Floats (*)(std::uint64_t, std::size_t);
constexpr Inputs kInputs[] = {[](std::uint64_t seed, std::size_t count) { return uniform(seed, count); }, spread,
                              cancelling};

using reference::MatmulShape;

void multiply(const MatmulShape& shape, const Floats& a, const Floats& b, Floats& c) {
  const Matmul matmul(
      {.m = shape.m, .n = shape.n, .k = shape.k, .transpose_a = shape.transpose_a, .transpose_b = shape.transpose_b},
      threads());
  const AlignedBytes scratch = allocate_zeroed(matmul.scratch_bytes());
  matmul.run(a.data(), b.data(), nullptr, c.data(), {scratch.get(), static_cast<std::size_t>(matmul.scratch_bytes())});
}

Doubles reference_product(const MatmulShape& shape, const Floats& a, const Floats& b) {
  Doubles c(shape.m * shape.n);
  reference::matmul<double>(shape, widen(a), widen(b), c);
  return c;
}

TEST(Matmul, AgreesWithTheReferenceWhateverTheLayoutAndTheTeam) {
  for (const auto& [m, n, k] : kMatmulSizes)
    for (const auto& inputs : kInputs)
      for (int transposed = 0; transposed < 4; ++transposed) {
        const MatmulShape shape{m, n, k, transposed % 2 == 1, transposed / 2 == 1};
        SCOPED_TRACE(testing::Message() << m << " x " << n << " x " << k << ", transposed " << transposed);
        const Floats a = inputs(1, m * k), b = inputs(2, k * n);
        const Floats c = same_for_all_teams([&] {
          Floats product(shape.m * shape.n, NAN);
          multiply(shape, a, b, product);
          return product;
        });
        Doubles bound = reference_product(shape, absolute(a), absolute(b));
        for (double& value : bound) value *= rounding(static_cast<double>(k));
        expect_within(c, reference_product(shape, a, b), bound);
      }
}

TEST(Matmul, InfinityAndNanArrive) {
  Floats a = uniform(1, 9 * 20), b = uniform(2, 20 * 5), c(45);
  a[20 * 4 + 3] = INFINITY;
  a[20 * 7 + 3] = NAN;
  multiply({.m = 9, .n = 5, .k = 20}, a, b, c);
  for (int j = 0; j < 5; ++j) {
    EXPECT_TRUE(std::isfinite(c[j]));
    EXPECT_TRUE(std::isinf(c[4 * 5 + j]));
    EXPECT_TRUE(std::isnan(c[7 * 5 + j]));
  }
}

// The same on every team. Checks every step-th row.
void expect_right(const ProductShape& shape, Generator generator, std::int64_t step) {
  SCOPED_TRACE(describe(shape));
  constexpr int kWorkers = 3;
  const Matmul matmul(shape, kWorkers);
  ASSERT_EQ(matmul.scratch_bytes(), matmul_scratch_bytes(shape, kWorkers));
  ProductCase c(shape, generator);
  const auto run = [&] {
    return c.result_of(matmul.scratch_bytes(), [&](auto a, auto b, auto bias, auto result, auto scratch) {
      matmul.run(a, b, bias, result, scratch);
    });
  };
  set_threads(1);
  StoredMatrix alone = run();
  c.expect_right(alone, step);
  for (int team : teams()) {
    set_threads(team);
    EXPECT_TRUE(same_bits(run(), alone)) << "on " << team << " threads";
  }
  set_threads(1);
}

TEST(PreparedMatmul, OnePieceAgreesWithDoubles) {
  std::size_t count = 0;
  for (const auto& [m, n, k] : kMatmulSizes)
    for (const ProductShape& shape : variants({.m = m, .n = n, .k = k}))
      if (m * n * k < 1 << 15) expect_right(shape, kGenerators[count++ % std::size(kGenerators)], 1);
}

// From five million operations on: a product of a small model. The second half is lower, or is not.
TEST(PreparedMatmul, HalvesAgreeWithDoubles) {
  for (const std::int64_t m : {40, 41})
    for (const ProductShape& shape : variants({.m = m, .n = 256, .k = 320}))
      if (shape.bias != shape.accumulate) expect_right(shape, spread, 7);
}

// More than 1.2e9 operations make four pieces; the last is lower, or is not. Few cases: sanitizers are slow.
TEST(PreparedMatmul, ManyPiecesAgreeWithDoubles) {
  for (const ProductShape& shape : variants({.m = 1000, .n = 640, .k = 960}))
    if (!shape.transpose_a && shape.transpose_b && shape.bias && !shape.accumulate) expect_right(shape, spread, 97);
  for (const ProductShape& shape : variants({.m = 512, .n = 768, .k = 1600}))
    if (shape.transpose_a && !shape.transpose_b && !shape.bias && shape.accumulate) expect_right(shape, spread, 97);
}

// Cut both ways, where a backend has tiles; the last pieces are less than the others, by rows, columns or both.
TEST(PreparedMatmul, TilesAgreeWithDoubles) {
  const ProductShape sizes{.m = 1060, .n = 930, .k = 260};
  for (const std::string_view backend : {"openblas", "blis"}) {
    if (!has_backend(backend)) continue;
    for (ProductShape shape : variants(sizes)) {
      shape.backend = backend;
      if (shape.bias != shape.accumulate && shape.transpose_a != shape.transpose_b) expect_right(shape, spread, 97);
    }
    ProductShape row = sizes;
    row.m = 1;
    row.backend = backend;
    expect_right(row, spread, 1);
  }
}

}  // namespace
}  // namespace phasor::kernels
