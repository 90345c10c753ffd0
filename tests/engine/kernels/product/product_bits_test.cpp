// Every element's sum depends on the shape alone: not on addresses, nor on what other threads do.
#include <algorithm>
#include <atomic>
#include <gtest/gtest.h>
#include <thread>

#include "engine/kernels/product/product_backends.h"
#include "tests/engine/kernels/product/product_case.h"
#include "tests/support/sanitized.h"

namespace phasor::kernels {
namespace {

using namespace phasor::test;

constexpr ProductShape kShapesOfBits[] = {
    {.m = 96, .n = 200, .k = 400, .transpose_b = true},
    {.m = 200, .n = 65, .k = 96, .lda = 203, .ldb = 77, .ldc = 70, .transpose_a = true, .accumulate = true},
    {.m = 192, .n = 64, .k = 384, .ldb = 200, .ldc = 70, .bias = true},
    {.m = 70, .n = 2, .k = 129},
    {.m = 1, .n = 300, .k = 64}};

// The matrices of a product, each so many elements behind the start of a cache line.
struct Operands {
  Operands(const ProductShape& s, const Product& product, std::size_t by)
      : shift(by),
        a(shifted(1, (s.transpose_a ? s.k : s.m) * s.lda)),
        b(shifted(2, (s.transpose_b ? s.n : s.k) * s.ldb)),
        bias(shifted(3, s.n)),
        before(shifted(4, s.m * s.ldc)),
        scratch(static_cast<std::size_t>(product.scratch_bytes())) {}

  // c by one call.
  Floats multiplied(const ProductShape& s, const Product& product, int worker) {
    Floats c = before;
    product.run(worker, a.data() + shift, b.data() + shift, s.bias ? bias.data() + shift : nullptr, c.data() + shift,
                scratch.data());
    return Floats(c.begin() + static_cast<std::ptrdiff_t>(shift), c.end());
  }

  Floats shifted(std::uint64_t seed, std::int64_t count) const {
    const Floats values = spread(seed, static_cast<std::size_t>(count));
    Floats moved(values.size() + shift);
    std::copy(values.begin(), values.end(), moved.begin() + static_cast<std::ptrdiff_t>(shift));
    return moved;
  }

  std::size_t shift;
  Floats a, b, bias, before;
  Buffer<std::byte> scratch;
};

template <class Visit>
void for_each_product(int workers, Visit visit) {
  for (const ProductBackend& backend : product_backends())
    for (const ProductShape& shape : kShapesOfBits) {
      const ProductShape s = whole(shape);
      if (!backend.serves(s)) continue;
      SCOPED_TRACE(describe(s) << ", " << backend.name);
      visit(s, *backend.make(s, workers));
    }
}

TEST(ProductBits, DoNotDependOnAddresses) {
  for_each_product(1, [](const ProductShape& s, const Product& product) {
    const Floats aligned = Operands(s, product, 0).multiplied(s, product, 0);
    for (std::size_t shift : {1, 3, 4, 8, 13}) {
      EXPECT_TRUE(same_bits(Operands(s, product, shift).multiplied(s, product, 0), aligned)) << shift;
    }
  });
}

// More threads than cores, so that some are interrupted where a library takes its buffers: a matter of chance, to bits.
TEST(ProductBits, DoNotDependOnOtherThreads) {
  constexpr int kThreads = kSanitized ? 4 : 16, kRepeats = kSanitized ? 2 : 200;
  for_each_product(kThreads, [](const ProductShape& s, const Product& product) {
    if (product.backend() == "reference") return;
    const Floats alone = Operands(s, product, 0).multiplied(s, product, 0);
    std::atomic<int> different{0};
    std::vector<std::thread> threads;
    for (int worker = 0; worker < kThreads; ++worker) {
      threads.emplace_back([&, worker] {
        Operands operands(s, product, 0);
        for (int i = 0; i < kRepeats; ++i) {
          different += same_bits(operands.multiplied(s, product, worker), alone) ? 0 : 1;
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(different, 0);
  });
}

struct Piece {
  std::int64_t row, rows, column, columns;
};

// By the backend of exactly the shape's name.
void expect_pieces_of_the_whole(const ProductShape& sizes, std::span<const Piece> pieces) {
  const auto multiply = [](const ProductShape& s, const float* a, const float* b, float* c) {
    const ProductBackend& backend = *std::ranges::find(product_backends(), s.backend, &ProductBackend::name);
    if (!backend.serves(s)) return false;
    const std::unique_ptr<Product> product = backend.make(s, 1);
    Buffer<std::byte> scratch(static_cast<std::size_t>(product->scratch_bytes()));
    product->run(0, a, b, nullptr, c, scratch.data());
    return true;
  };
  for (const bool transpose_a : {false, true})
    for (const bool transpose_b : {false, true}) {
      ProductShape s = sizes;
      s.transpose_a = s.accumulate = transpose_a;
      s.transpose_b = transpose_b;
      s = whole(s);
      const Floats a = spread(1, static_cast<std::size_t>(s.m * s.k)),
                   b = spread(2, static_cast<std::size_t>(s.n * s.k)),
                   before = spread(3, static_cast<std::size_t>(s.m * s.n));
      Floats all = before;
      ASSERT_TRUE(multiply(s, a.data(), b.data(), all.data()));
      for (const auto& [row, rows, column, columns] : pieces) {
        ProductShape piece = s;
        piece.m = rows;
        piece.n = columns;
        Floats c = before;
        ASSERT_TRUE(multiply(piece, a.data() + row * (transpose_a ? 1 : s.lda),
                             b.data() + column * (transpose_b ? s.ldb : 1), c.data() + row * s.ldc + column));
        for (std::int64_t i = row; i < row + rows; ++i) {
          const auto of = [&, first = i * s.ldc + column](const Floats& values) {
            return std::span(values).subspan(first, piece.n);
          };
          ASSERT_TRUE(same_bits(of(c), of(all))) << describe(piece) << ", row " << i;
        }
      }
    }
}

// So a product may be cut for any team, and a sample may share a call with any others.
TEST(ProductBits, OfBlisDoNotDependOnTheCut) {
  if (!has_backend("blis")) GTEST_SKIP() << "no BLIS of a version that is known";
  constexpr Piece kPieces[] = {
      {0, 48, 0, 500}, {96, 511, 0, 500}, {0, 700, 96, 40}, {512, 7, 300, 200}, {699, 1, 0, 500}};
  expect_pieces_of_the_whole({.m = 700, .n = 500, .k = 600, .backend = "blis"}, kPieces);
}

// A sample may stand anywhere in a micro-batch. Columns are cut by their number alone.
TEST(ProductBits, OfPanelsDoNotDependOnOtherRowsNorOnTheRowsPlace) {
  constexpr Piece kPieces[] = {
      {0, 48, 0, 500}, {1, 48, 0, 500}, {97, 510, 0, 500}, {517, 17, 0, 500}, {682, 18, 0, 500}};
  constexpr Piece kFew[] = {{0, 16, 0, 500}, {11, 21, 0, 500}};
  int tried = 0;
  for (const std::string_view panels : {"openblas, in panels", "blis, in panels"}) {
    if (!has_backend(panels)) continue;
    SCOPED_TRACE(panels);
    expect_pieces_of_the_whole({.m = 700, .n = 500, .k = 600, .backend = panels}, kPieces);
    expect_pieces_of_the_whole({.m = 33, .n = 500, .k = 600, .backend = panels}, kFew);
    ++tried;
  }
  if (tried == 0) GTEST_SKIP() << "no library with a kernel for this processor";
}

}  // namespace
}  // namespace phasor::kernels
