#include "engine/kernels/layout.h"

#include "engine/kernels/reference/layout.h"
#include "tests/support/inputs.h"
#include "tests/support/stored.h"
#include "tests/support/teams.h"

namespace phasor::kernels {
namespace {

using namespace phasor::test;

template <class T>
struct Layout : ::testing::Test {};
TYPED_TEST_SUITE(Layout, StoredTypes);

TYPED_TEST(Layout, TransposeAgreesWithTheReference) {
  using T = TypeParam;
  struct Sizes {
    std::int64_t rows, columns;
  };
  for (const auto& [rows, columns] : {Sizes{0, 4}, Sizes{4, 0}, Sizes{1, 1}, Sizes{1, 70}, Sizes{70, 1}, Sizes{32, 32},
                                      Sizes{33, 95}, Sizes{101, 67}}) {
    const Buffer<T> x = stored<T>(uniform(1, rows * columns));
    Buffer<T> expected(x.size());
    reference::transpose<T>(rows, columns, x, expected);
    EXPECT_TRUE(same_bits(loaded(expected), same_for_all_teams([&, m = rows, n = columns] {
                            Buffer<T> y(x.size());
                            transpose<T>(m, n, x, y);
                            return loaded(y);
                          })));
  }
}

TYPED_TEST(Layout, CopyCopies) {
  using T = TypeParam;
  for (std::size_t count : {0u, 1u, 17u, 50000u}) {
    const Buffer<T> x = stored<T>(uniform(1, count));
    EXPECT_TRUE(same_bits(loaded(x), same_for_all_teams([&] {
                            Buffer<T> y(count);
                            copy<T>(x, y);
                            return loaded(y);
                          })));
  }
}

TEST(Places, BeginAnewInEverySegment) {
  const Ids numbers{0, 3, 7, 4, 2, 5, /* row 1 */ 1, 2, 0, 0, 0, 0};
  Ids y(14, -1);
  places(Segments(numbers, 2, 7), y);
  EXPECT_EQ(y, (Ids{0, 1, 2, 0, 0, 1, 0, /* row 1 */ 0, 0, 1, 0, 0, 0, 0}));
  places(Segments({}, 0, 7), {});
}

}  // namespace
}  // namespace phasor::kernels
