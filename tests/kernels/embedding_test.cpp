#include "engine/kernels/embedding.h"

#include "engine/base/error.h"
#include "engine/kernels/reference/embedding.h"
#include "tests/support/inputs.h"
#include "tests/support/teams.h"

namespace phasor::kernels {
namespace {

using namespace phasor::test;

struct Sizes {
  std::int32_t entries;
  std::int64_t columns;
  std::size_t ids;
};
// No ids, one entry for all, many repetitions, most entries absent.
constexpr Sizes kSizes[] = {{5, 3, 0},  {1, 1, 1},    {1, 16, 100},    {2, 17, 301},
                            {7, 64, 7}, {97, 31, 40}, {1000, 128, 50}, {300, 768, 97}};

TEST(Embedding, TakesRows) {
  for (const auto& [entries, columns, count] : kSizes) {
    const Floats table = uniform(1, entries * columns);
    const Ids ids = random_ids(2, count, entries);
    Floats expected(count * columns);
    reference::embedding<float>(columns, table, ids, expected);
    EXPECT_TRUE(same_bits(expected, same_for_all_teams([&, width = columns] {
                            Floats y(expected.size());
                            embedding<float>(width, table, ids, y);
                            return y;
                          })));
  }
}

// The order of summation is part of the contract: the reference in float has the same bits.
TEST(EmbeddingGradient, SumsRowsInAscendingOrder) {
  for (const auto& [entries, columns, count] : kSizes)
    for (std::int64_t padding : {-1, 0, entries / 2}) {
      const Ids ids = random_ids(2, count, entries);
      const Floats dy = spread(3, count * columns);
      Floats expected(entries * columns);
      reference::embedding_gradient<float>(columns, padding, ids, dy, expected);
      EXPECT_TRUE(same_bits(expected, same_for_all_teams([&, width = columns] {
                              Floats dtable(expected.size(), NAN);
                              embedding_gradient<float>(width, padding, ids, dy, dtable);
                              return dtable;
                            })));
    }
}

TEST(EmbeddingGradient, PaddingGetsNone) {
  const Floats dy{1, 2, 4, 8};
  Floats dtable(3);
  embedding_gradient<float>(1, 2, Ids{0, 2, 0, 2}, dy, dtable);
  EXPECT_EQ(dtable, (Floats{5, 0, 0}));
  embedding_gradient<float>(1, -1, Ids{0, 2, 0, 2}, dy, dtable);
  EXPECT_EQ(dtable, (Floats{5, 0, 10}));
}

TEST(Embedding, RefusesIdsOutsideTheTable) {
  const Floats table(6);
  Floats y(4), dtable(6);
  for (const Ids& ids : {Ids{0, 3}, Ids{-1, 0}}) {
    EXPECT_THROW(embedding<float>(2, table, ids, y), InternalError);
    EXPECT_THROW(embedding_gradient<float>(2, -1, ids, y, dtable), InternalError);
  }
}

}  // namespace
}  // namespace phasor::kernels
