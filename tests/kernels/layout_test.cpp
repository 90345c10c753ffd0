#include "engine/kernels/layout.h"

#include "engine/kernels/reference/layout.h"
#include "tests/support/inputs.h"
#include "tests/support/teams.h"

namespace phasor::kernels {
namespace {

using namespace phasor::test;

TEST(Transpose, AgreesWithTheReference) {
  struct Sizes {
    std::int64_t rows, columns;
  };
  for (const auto& [rows, columns] : {Sizes{0, 4}, Sizes{4, 0}, Sizes{1, 1}, Sizes{1, 70}, Sizes{70, 1}, Sizes{32, 32},
                                      Sizes{33, 95}, Sizes{101, 67}}) {
    const Floats x = uniform(1, rows * columns);
    Floats expected(x.size());
    reference::transpose<float>(rows, columns, x, expected);
    EXPECT_TRUE(same_bits(expected, same_for_all_teams([&, m = rows, n = columns] {
                            Floats y(x.size());
                            transpose<float>(m, n, x, y);
                            return y;
                          })));
  }
}

TEST(Copy, Copies) {
  for (std::size_t count : {0u, 1u, 17u, 50000u}) {
    const Floats x = uniform(1, count);
    EXPECT_TRUE(same_bits(x, same_for_all_teams([&] {
                            Floats y(count);
                            copy<float>(x, y);
                            return y;
                          })));
  }
}

TEST(Iota, Counts) {
  Ids y(5, -1);
  iota(y);
  EXPECT_EQ(y, (Ids{0, 1, 2, 3, 4}));
  iota({});
}

}  // namespace
}  // namespace phasor::kernels
