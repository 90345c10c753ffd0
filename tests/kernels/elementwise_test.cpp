#include "engine/kernels/elementwise.h"

#include "engine/kernels/reference/elementwise.h"
#include "tests/support/inputs.h"
#include "tests/support/teams.h"
#include "tests/support/tolerance.h"

namespace phasor::kernels {
namespace {

using namespace phasor::test;

struct Sizes {
  std::size_t rows, columns;
};
constexpr Sizes kSizes[] = {{0, 1},   {1, 1},    {7, 1},     {1, 7},     {3, 16},    {5, 17},
                            {33, 64}, {31, 129}, {1000, 96}, {257, 331}, {40000, 2}, {1, 50000}};

// One rounding an element: the reference in float has the same bits.
TEST(Add, RepeatsTheSmallerOperand) {
  for (const auto& [rows, columns] : kSizes) {
    const Floats a = spread(1, rows * columns), b = spread(2, columns);
    Floats expected(a.size());
    reference::add<float>(a, b, expected);
    EXPECT_TRUE(same_bits(expected, same_for_all_teams([&] {
                            Floats y(a.size());
                            add<float>(a, b, y);
                            return y;
                          })));
  }
}

TEST(Add, WorksInPlace) {
  const Floats a = uniform(1, 1003), b = uniform(2, 1003);
  Floats expected(a.size()), onto_a = a, onto_b = b;
  reference::add<float>(a, b, expected);
  add<float>(onto_a, b, onto_a);
  add<float>(a, onto_b, onto_b);
  EXPECT_TRUE(same_bits(onto_a, expected));
  EXPECT_TRUE(same_bits(onto_b, expected));
}

TEST(ReduceSum, AgreesWithTheReference) {
  for (const auto& [rows, columns] : kSizes)
    for (const Floats& x : {uniform(1, rows * columns), spread(2, rows * columns), cancelling(3, rows * columns)}) {
      const Floats y = same_for_all_teams([&, width = columns] {
        Floats sums(width, NAN);
        reduce_sum<float>(x, sums);
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

}  // namespace
}  // namespace phasor::kernels
