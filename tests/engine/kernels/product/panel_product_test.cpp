// The loops around a kernel, with a kernel of plain loops, so that sanitizers see all of it.
#include "engine/kernels/product/panels/panel_product.h"

#include <algorithm>
#include <fmt/format.h>
#include <vector>

#include "engine/kernels/product/panels/panel_trial.h"
#include "engine/kernels/product/product_backends.h"
#include "tests/engine/kernels/product/product_case.h"
#include "tests/support/teams.h"

namespace phasor::kernels {
namespace {

using namespace phasor::test;

constexpr std::int64_t kRows = 6, kColumns = 8, kReadBehind = 4;

template <bool kBegins>
int multiply(long n, long m, long depth, float factor, const float* b, const float* a, float* c, long ldc) {
  EXPECT_EQ(n % kColumns, 0);
  EXPECT_EQ(m % kRows, 0);
  for (long i = 0; i < kReadBehind; ++i) [[maybe_unused]] const volatile float behind = b[n * depth + i];
  for (long i = 0; i < m; ++i)
    for (long j = 0; j < n; ++j) {
      float sum = 0;
      for (long step = 0; step < depth; ++step)
        sum += a[(i / kRows * depth + step) * kRows + i % kRows] *
               b[(j / kColumns * depth + step) * kColumns + j % kColumns];
      float& result = c[i * ldc + j];
      result = kBegins ? factor * sum : result + factor * sum;
    }
  return 0;
}

constexpr PanelKernel kKernel{.rows = kRows,
                              .columns = kColumns,
                              .depth = 24,
                              .most_rows = 120,
                              .started_rows = 20,
                              .read_behind = kReadBehind,
                              .multiply = multiply<false>};

// Of a library that can write sums as well as add to some.
constexpr PanelKernel beginning() {
  PanelKernel kernel = kKernel;
  kernel.begin = multiply<true>;
  return kernel;
}
constexpr PanelKernel kBeginning = beginning();

// One tile and less, edges of both kinds, several blocks, several depths of which the last is less, so many rows that
// blocks are smaller on a team than alone, and columns enough for the last of these to be cut again.
constexpr ProductShape kSizes[] = {{.m = 1, .n = 1, .k = 1},     {.m = 12, .n = 8, .k = 24},
                                   {.m = 7, .n = 5, .k = 25},    {.m = 100, .n = 17, .k = 50},
                                   {.m = 490, .n = 9, .k = 25},  {.m = 12, .n = 400, .k = 30},
                                   {.m = 300, .n = 200, .k = 25}};

void expect_right(const ProductShape& shape) {
  SCOPED_TRACE(describe(shape));
  constexpr int kWorkers = 3;
  const PanelProduct product("plain", kKernel, whole(shape), kWorkers);
  const PanelProduct begins("plain", kBeginning, whole(shape), kWorkers);
  const PanelProduct shared("plain", kKernel, whole(shape), kWorkers, kWorkers);
  ProductCase c(shape, spread);
  const StoredMatrix alone = c.result_of(
      product.scratch_bytes(),
      [&](auto a, auto b, auto bias, auto to, auto scratch) { product.run(0, a, b, bias, to, scratch.data()); });
  c.expect_right(alone);
  EXPECT_TRUE(
      same_bits(alone, c.result_of(begins.scratch_bytes(), [&](auto a, auto b, auto bias, auto to, auto scratch) {
        begins.run(0, a, b, bias, to, scratch.data());
      })));
  for (const int team : {1, kWorkers}) {
    set_threads(team);
    EXPECT_TRUE(same_bits(alone, c.result_of(shared.team_scratch_bytes(),
                                             [&](auto a, auto b, auto bias, auto to, auto scratch) {
                                               shared.run_on_team(a, b, bias, to, scratch.data());
                                             })))
        << "on " << team << " threads";
  }
  set_threads(1);
}

TEST(PanelProduct, AgreesWithDoublesAloneAndOnATeam) {
  for (const ProductShape& sizes : kSizes)
    for (ProductShape shape : variants(sizes)) {
      expect_right(shape);
      shape.lda = (shape.transpose_a ? shape.m : shape.k) + 3;
      shape.ldb = (shape.transpose_b ? shape.k : shape.n) + 16;
      shape.ldc = shape.n + 5;
      expect_right(shape);
    }
}

// So much of b that a rounded result has its columns made in two turns.
TEST(PanelProduct, PacksALargeOperandInTurns) {
  expect_right({.m = 5, .n = 900, .k = 3000, .operands = DType::bf16, .result = DType::bf16, .bias = true});
}

// b in panels beforehand: the bits are those of one that is packed within the product, for any number of rows.
TEST(PanelProduct, TakesWhatIsPackedAhead) {
  for (const ProductShape& shape : variants({.m = 25, .n = 300, .k = 50})) {
    SCOPED_TRACE(describe(shape));
    ProductShape packed_shape = shape;
    packed_shape.packed_b = true;
    const PanelProduct plain("plain", kKernel, whole(shape), 1), ahead("plain", kKernel, whole(packed_shape), 1);
    ProductCase c(shape, spread);
    ProductShape any_rows = shape;
    any_rows.m = 500;
    any_rows.transpose_a = false;
    const PanelPacking packing(kKernel, whole(any_rows));
    Buffer<std::byte> panels(static_cast<std::size_t>(PanelPacking::bytes(kKernel, shape)));
    for (std::int64_t slice = 0; slice < packing.slices(); ++slice) packing.run(slice, c.b(), panels.data());
    const StoredMatrix expected = c.result_of(
        plain.scratch_bytes(),
        [&](auto a, auto b, auto bias, auto to, auto scratch) { plain.run(0, a, b, bias, to, scratch.data()); });
    EXPECT_TRUE(
        same_bits(expected, c.result_of(ahead.scratch_bytes(), [&](auto a, auto, auto bias, auto to, auto scratch) {
          ahead.run(0, a, panels.data(), bias, to, scratch.data());
        })));
  }
}

// A kernel by the same name that wants its panels otherwise.
int multiply_turned(long n, long m, long depth, float factor, const float* b, const float* a, float* c, long ldc) {
  for (long i = 0; i < m; ++i)
    for (long j = 0; j < n; ++j)
      for (long step = 0; step < depth; ++step) c[i * ldc + j] += factor * a[i * depth + step] * b[j * depth + step];
  return 0;
}

TEST(PanelTrial, TellsAKernelFromAnother) {
  EXPECT_TRUE(multiplies(kKernel));
  EXPECT_TRUE(multiplies(kBeginning));
  for (const PanelKernel& kernel : {kKernel, kBeginning}) {
    PanelKernel other = kernel;
    other.multiply = multiply_turned;
    EXPECT_FALSE(multiplies(other));
  }
  PanelKernel only_adds = kKernel;
  only_adds.begin = kKernel.multiply;
  EXPECT_FALSE(multiplies(only_adds));
}

TEST(PanelBlocks, OfALayerAreForATeamAndOfItsDepthEvenParts) {
  constexpr PanelKernel kLarge{.rows = 6, .columns = 16, .depth = 384};
  const PanelBlocks linear = panel_blocks(kLarge, {.m = 1536, .n = 3072, .k = 768});
  EXPECT_EQ(pieces(1536, linear.rows), 16);
  EXPECT_EQ(linear.columns, 3072);
  EXPECT_EQ(linear.columns_at_a_time, 192);
  EXPECT_EQ(linear.depth, 384);
  EXPECT_EQ(panel_blocks(kLarge, {.m = 1536, .n = 1024, .k = 1024}).depth, 344);
  EXPECT_EQ(panel_blocks(kLarge, {.m = 64, .n = 768, .k = 768}).columns, 192);  // few rows: by columns, too
}

TEST(PanelBlocks, HaveManyRowsWhereEachThreadStillHasSomeOfThem) {
  constexpr PanelKernel kMany{.rows = 4, .columns = 16, .depth = 384, .most_rows = 192};
  const ProductShape linear{.m = 1536, .n = 3072, .k = 768}, whole{.m = 6144, .n = 3072, .k = 768};
  EXPECT_EQ(panel_blocks(kMany, linear, 2).rows, 192);
  EXPECT_EQ(panel_blocks(kMany, linear, 3).rows, 96);
  EXPECT_EQ(panel_blocks(kMany, whole, 8).rows, 192);
  EXPECT_EQ(panel_blocks(kMany, whole, 9).rows, 96);
}

TEST(PanelGrid, CoversEachElementOnce) {
  constexpr PanelKernel kMany{.rows = 4, .columns = 16, .depth = 384, .most_rows = 192};
  for (const std::int64_t rows : {1, 100, 768, 1536, 5000})
    for (const std::int64_t columns : {16, 200, 768, 3072})
      for (const int threads : {1, 2, 5}) {
        SCOPED_TRACE(fmt::format("{} x {} on {} threads", rows, columns, threads));
        const PanelGrid grid(panel_blocks(kMany, {.m = rows, .n = columns, .k = 768}, threads), rows, columns);
        std::vector<int> covered(static_cast<std::size_t>(rows * columns));
        for (std::int64_t number = 0; number < grid.count(); ++number) {
          const PanelBlock block = grid.at(number);
          for (std::int64_t i = block.row; i < block.row + block.rows; ++i)
            for (std::int64_t j = block.column; j < block.column + block.columns; ++j)
              ++covered[static_cast<std::size_t>(i * columns + j)];
        }
        EXPECT_TRUE(std::ranges::all_of(covered, [](int times) { return times == 1; }));
      }
}

TEST(PanelGrid, EndsInSmallBlocksOnATeam) {
  constexpr PanelKernel kMany{.rows = 4, .columns = 16, .depth = 384, .most_rows = 192};
  const auto grid_of = [&](int threads) {
    return PanelGrid(panel_blocks(kMany, {.m = 1536, .n = 3072, .k = 768}, threads), 1536, 3072);
  };
  EXPECT_EQ(grid_of(1).at(grid_of(1).count() - 1).columns, 3072);
  const PanelGrid shared = grid_of(2);
  EXPECT_EQ(shared.count(), 6 + 2 * 4);
  EXPECT_EQ(shared.at(5).columns, 3072);
  for (std::int64_t number = 6; number < shared.count(); ++number) EXPECT_EQ(shared.at(number).columns, 768);
  EXPECT_EQ(panel_blocks(kMany, {.m = 16, .n = 768, .k = 768}, 2).cut_again, 0);  // few rows
}

// Whatever shares a product with a row, its sums are grouped alike.
TEST(PanelBlocks, WhatBitsDependOnFollowsFromNAndKAlone) {
  constexpr PanelKernel kLarge{.rows = 6, .columns = 16, .depth = 384};
  for (const std::int64_t k : {1, 100, 384, 385, 1000, 3072})
    for (const std::int64_t n : {16, 200, 500, 5000})
      for (const std::int64_t m : {1, 16, 100, 5000}) {
        const PanelBlocks blocks = panel_blocks(kLarge, {.m = m, .n = n, .k = k});
        const PanelBlocks of_a_row = panel_blocks(kLarge, {.m = 1, .n = n, .k = k});
        EXPECT_EQ(blocks.depth, of_a_row.depth);
        EXPECT_EQ(blocks.columns_at_a_time, of_a_row.columns_at_a_time);
        EXPECT_EQ(panel_blocks(kLarge, {.m = m, .n = n, .k = k}, 16).depth, blocks.depth);
        EXPECT_TRUE(blocks.columns >= n || blocks.columns % blocks.columns_at_a_time == 0);
      }
}

}  // namespace
}  // namespace phasor::kernels
