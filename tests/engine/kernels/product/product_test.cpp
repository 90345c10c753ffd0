#include "engine/kernels/product/product.h"

#include "engine/base/error.h"
#include "engine/kernels/matmul.h"
#include "engine/kernels/product/product_backends.h"
#include "tests/engine/kernels/product/product_case.h"

namespace phasor::kernels {
namespace {

using namespace phasor::test;

// Nothing, vectors, primes, whole and broken blocks of every backend.
constexpr ProductShape kProductSizes[] = {
    {.m = 0, .n = 3, .k = 5},    {.m = 3, .n = 0, .k = 5},      {.m = 3, .n = 5, .k = 0},
    {.m = 1, .n = 1, .k = 1},    {.m = 7, .n = 5, .k = 3},      {.m = 37, .n = 1, .k = 64},
    {.m = 1, .n = 37, .k = 19},  {.m = 17, .n = 31, .k = 13},   {.m = 64, .n = 48, .k = 32},
    {.m = 70, .n = 2, .k = 129}, {.m = 261, .n = 34, .k = 270}, {.m = 33, .n = 270, .k = 40}};

ProductShape padded(ProductShape s) {
  s.lda = (s.transpose_a ? s.m : s.k) + 3;
  s.ldb = (s.transpose_b ? s.k : s.n) + 16;
  s.ldc = s.n + 5;
  return s;
}

void expect_right(const ProductBackend& backend, const ProductShape& shape, Generator generator) {
  const ProductShape s = whole(shape);
  if (!backend.serves(s)) return;
  SCOPED_TRACE(describe(s) << ", " << backend.name);
  constexpr int kWorkers = 2;
  const std::unique_ptr<Product> product = backend.make(s, kWorkers);
  ASSERT_EQ(product->scratch_bytes(), backend.scratch_bytes(s));
  ASSERT_EQ(product->scratch_bytes() % 64, 0);
  ProductCase c(s, generator);
  const auto run = [&](int worker) {
    return c.result_of(product->scratch_bytes(), [&](auto a, auto b, auto bias, auto result, auto scratch) {
      product->run(worker, a, b, bias, result, scratch.data());
    });
  };
  const StoredMatrix result = run(0);
  c.expect_right(result, 1 + s.m / 64);
  EXPECT_TRUE(same_bits(run(1), result));
}

TEST(Product, EveryBackendAgreesWithDoublesWhateverTheLayout) {
  std::size_t count = 0;
  for (const ProductShape& sizes : kProductSizes)
    for (const ProductShape& s : variants(sizes))
      for (const ProductBackend& backend : product_backends())
        for (const ProductShape& shape : {s, padded(s)})
          expect_right(backend, shape, kGenerators[count++ % std::size(kGenerators)]);
}

// Matrices of which only one has something between its rows.
TEST(Product, EveryStrideCounts) {
  for (const ProductShape& s : variants({.m = 40, .n = 24, .k = 16}))
    for (int which = 0; which < 3; ++which) {
      ProductShape shape = s;
      const ProductShape all = padded(s);
      (which == 0   ? shape.lda
       : which == 1 ? shape.ldb
                    : shape.ldc) = which == 0   ? all.lda
                                   : which == 1 ? all.ldb
                                                : all.ldc;
      for (const ProductBackend& backend : product_backends()) expect_right(backend, shape, spread);
    }
}

TEST(Product, PackedOperandsServeEveryHeight) {
  for (const ProductShape& sizes : {ProductShape{.n = 320, .k = 192}, ProductShape{.n = 512, .k = 128, .ldb = 600},
                                    ProductShape{.n = 64, .k = 64, .ldb = 320}})
    for (ProductShape s : variants(sizes)) {
      const std::int64_t bytes = packed_b_bytes(s);
      if (bytes == 0) continue;
      Buffer<std::byte> packed(bytes);
      const std::unique_ptr<Packing> packing = make_packing(s);
      for (std::int64_t m : {1, 37, 64, 200}) {
        s.m = m;
        s.packed_b = true;
        SCOPED_TRACE(describe(s));
        ProductCase c(s, spread);
        for (std::int64_t slice = 0; slice < packing->slices(); ++slice) packing->run(slice, c.b(), packed.data());
        const std::unique_ptr<Product> product = make_product(s, 1);
        c.expect_right(c.result_of(product->scratch_bytes(), [&](auto a, auto, auto bias, auto result, auto scratch) {
          product->run(0, a, packed.data(), bias, result, scratch.data());
        }));
      }
    }
}

// Of whoever says so: with and without, of any height, in one part or several of k.
TEST(Product, PackingThatKeepsBitsDoes) {
  int tried = 0;
  for (const ProductShape& sizes : {ProductShape{.n = 320, .k = 192}, ProductShape{.n = 192, .k = 832}})
    for (ProductShape s : variants(sizes))
      for (std::int64_t m : {16, 37, 200}) {
        s.m = m;
        if (packed_b_bytes(s) == 0 || !packing_keeps_bits(s)) continue;
        SCOPED_TRACE(describe(s));
        ProductCase c(s, spread);
        Buffer<std::byte> packed(packed_b_bytes(s));
        const std::unique_ptr<Packing> packing = make_packing(s);
        for (std::int64_t slice = 0; slice < packing->slices(); ++slice) packing->run(slice, c.b(), packed.data());
        const auto result_of = [&](const ProductShape& shape, const void* b) {
          const Matmul product(shape, 1);
          return c.result_of(product.scratch_bytes(), [&](auto a, auto, auto bias, auto to, auto scratch) {
            product.run(a, b, bias, to, scratch);
          });
        };
        ProductShape ahead = s;
        ahead.packed_b = true;
        EXPECT_TRUE(same_bits(result_of(s, c.b()), result_of(ahead, packed.data())));
        ++tried;
      }
  if (tried == 0) GTEST_SKIP() << "nobody packs whose products have the same bits without";
}

// Few rows are multiplied by others where nothing is packed.
TEST(Product, BitsOfFewRowsAreNotPromised) {
  const ProductShape few{.m = 15, .n = 768, .k = 768}, many{.m = 16, .n = 768, .k = 768};
  if (!packing_keeps_bits(many)) GTEST_SKIP() << "nobody packs whose products have the same bits without";
  EXPECT_FALSE(packing_keeps_bits(few));
}

TEST(Product, WhatContradictsItselfIsRefused) {
  EXPECT_THROW(make_product({.m = 2, .n = 3, .k = 4, .lda = 3}, 1), InternalError);
  EXPECT_THROW(make_product({.m = 2, .n = 3, .k = 4, .result = DType::bf16}, 1), InternalError);
  EXPECT_THROW(make_product({.m = 2, .n = 3, .k = 4, .operands = DType::i32}, 1), InternalError);
  EXPECT_THROW(
      make_product({.m = 2, .n = 3, .k = 4, .operands = DType::bf16, .result = DType::bf16, .accumulate = true}, 1),
      InternalError);
}

}  // namespace
}  // namespace phasor::kernels
