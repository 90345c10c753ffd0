#include "engine/kernels/elementwise.h"

#include "engine/kernels/reference/elementwise.h"
#include "tests/support/inputs.h"
#include "tests/support/stored.h"
#include "tests/support/teams.h"
#include "tests/support/tolerance.h"

namespace phasor::kernels {
namespace {

using namespace phasor::test;

struct MapSizes {
  std::size_t rows, columns;
};
constexpr MapSizes kMapSizes[] = {{0, 1},    {1, 1},     {7, 1},     {1, 7},     {3, 16},    {5, 17},    {33, 64},
                                  {31, 129}, {1000, 96}, {257, 331}, {40000, 2}, {40001, 3}, {400, 300}, {1, 50000}};

template <class T>
struct Add : ::testing::Test {};
TYPED_TEST_SUITE(Add, StoredTypes);

template <class T>
struct ReduceSum : ::testing::Test {};
TYPED_TEST_SUITE(ReduceSum, StoredTypes);

// One rounding to float an element: the reference in float has the same bits.
TYPED_TEST(Add, RepeatsTheSmallerOperand) {
  using T = TypeParam;
  for (const auto& [rows, columns] : kMapSizes) {
    const Buffer<T> a = stored<T>(spread(1, rows * columns)), b = stored<T>(spread(2, columns));
    Floats expected(a.size());
    reference::add<float>(loaded(a), loaded(b), expected);
    EXPECT_TRUE(same_bits(representable<T>(expected), same_for_all_teams([&] {
                            Buffer<T> y(a.size());
                            add<T>(a, b, y);
                            return loaded(y);
                          })));
  }
}

TYPED_TEST(Add, WorksInPlace) {
  using T = TypeParam;
  const Buffer<T> a = stored<T>(uniform(1, 1003)), b = stored<T>(uniform(2, 1003));
  Buffer<T> apart(a.size()), onto_a = a, onto_b = b;
  add<T>(a, b, apart);
  add<T>(onto_a, b, onto_a);
  add<T>(a, onto_b, onto_b);
  EXPECT_EQ(onto_a, apart);
  EXPECT_EQ(onto_b, apart);
}

TYPED_TEST(ReduceSum, AgreesWithTheReference) {
  using T = TypeParam;
  for (const auto& [rows, columns] : kMapSizes)
    for (const Floats& raw : {uniform(1, rows * columns), spread(2, rows * columns), cancelling(3, rows * columns)}) {
      const Floats x = representable<T>(raw);
      const Floats y = same_for_all_teams([&, width = columns] {
        Floats sums(width, NAN);
        reduce_sum<T>(stored<T>(x), sums);
        return sums;
      });
      Doubles expected(columns), bound(columns), wide = widen(x);
      reference::reduce_sum<double>(wide, expected);
      for (double& value : wide) value = std::abs(value);
      reference::reduce_sum<double>(wide, bound);
      for (double& value : bound) value *= rounding(static_cast<double>(rows));
      expect_within(y, expected, bound);
    }
}

TEST(Convert, RoundsToTheNearestAndWidensExactly) {
  for (std::size_t count : {0u, 1u, 31u, 50000u}) {
    const Floats x = spread(1, count);
    const Buffer<bfloat16> expected = stored<bfloat16>(x);
    EXPECT_TRUE(same_bits(loaded(expected), same_for_all_teams([&] {
                            Buffer<bfloat16> narrow(count);
                            Floats wide(count);
                            convert(x, narrow);
                            EXPECT_EQ(narrow, expected);
                            convert(narrow, wide);
                            return wide;
                          })));
  }
}

}  // namespace
}  // namespace phasor::kernels
