#include "engine/kernels/product_cut.h"

#include <gtest/gtest.h>

namespace phasor::kernels {
namespace {

constexpr Tile kTile{.rows = 384, .columns = 3072, .least_rows = 64, .least_columns = 192};

// What is smaller than a piece costs to hand out, or to copy operands for.
TEST(Cut, OfALayerIsOfLargePiecesAndForATeam) {
  EXPECT_EQ(tile_cut({.m = 1536, .n = 768, .k = 768}, kTile), (Cut{384, 768}));
  EXPECT_EQ(tile_cut({.m = 1536, .n = 3072, .k = 768}, kTile), (Cut{384, 3072}));
  EXPECT_EQ(tile_cut({.m = 768, .n = 3072, .k = 1536}, kTile), (Cut{192, 3072}));
  EXPECT_EQ(tile_cut({.m = 1000, .n = 5000, .k = 768}, kTile), (Cut{336, 2544}));
}

TEST(Cut, LittleIsLeftWhole) {
  EXPECT_EQ(tile_cut({.m = 64, .n = 64, .k = 64}, kTile), (Cut{64, 64}));
  EXPECT_EQ(tile_cut({.m = 384, .n = 64, .k = 64}, kTile), (Cut{384, 64}));
}

// A row's bits do not depend on how many other samples there are: only rows are cut otherwise for them.
TEST(Cut, ColumnsDependOnNAlone) {
  for (const std::int64_t n : {128, 512, 768, 5000})
    for (const std::int64_t m : {96, 192, 480, 2016, 6144}) {
      const Cut cut = tile_cut({.m = m, .n = n, .k = 512}, kTile);
      EXPECT_EQ(cut.columns, tile_cut({.m = 96, .n = n, .k = 512}, kTile).columns);
      EXPECT_TRUE(cut.rows % 48 == 0 || cut.rows == m) << m;
    }
}

// A single row reads all of b, which takes longer than its operations.
TEST(Cut, OneRowIsSharedByItsColumns) { EXPECT_EQ(tile_cut({.m = 1, .n = 3072, .k = 768}, kTile), (Cut{1, 768})); }

TEST(Cut, IsNotHalvedBelowTheLeast) {
  constexpr Tile kLarge{.rows = 768, .columns = 384, .least_rows = 512, .least_columns = 256};
  EXPECT_EQ(tile_cut({.m = 768, .n = 768, .k = 1536}, kLarge), (Cut{768, 384}));
  EXPECT_EQ(tile_cut({.m = 600, .n = 300, .k = 1536}, kLarge), (Cut{600, 300}));
}

TEST(Cut, OfRowsIsAPowerOfTwo) {
  EXPECT_EQ(rows_cut({.m = 1536, .n = 3072, .k = 768}), (Cut{96, 3072}));
  EXPECT_EQ(rows_cut({.m = 40, .n = 256, .k = 320}), (Cut{20, 256}));
  EXPECT_EQ(rows_cut({.m = 4, .n = 4, .k = 4}), (Cut{4, 4}));
}

}  // namespace
}  // namespace phasor::kernels
