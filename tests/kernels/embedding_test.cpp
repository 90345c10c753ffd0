#include "engine/kernels/embedding.h"

#include "engine/base/error.h"
#include "engine/kernels/elementwise.h"
#include "engine/kernels/reference/embedding.h"
#include "tests/support/inputs.h"
#include "tests/support/stored.h"
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

template <class T>
struct Embedding : ::testing::Test {};
TYPED_TEST_SUITE(Embedding, StoredTypes);

template <class T>
struct EmbeddingGradient : ::testing::Test {};
TYPED_TEST_SUITE(EmbeddingGradient, StoredTypes);

TYPED_TEST(Embedding, TakesRows) {
  using T = TypeParam;
  for (const auto& [entries, columns, count] : kSizes) {
    const Buffer<T> table = stored<T>(uniform(1, entries * columns));
    const Ids ids = random_ids(2, count, entries);
    Buffer<T> expected(count * columns);
    reference::embedding<T>(columns, table, ids, expected);
    EXPECT_TRUE(same_bits(loaded(expected), same_for_all_teams([&, width = columns] {
                            Buffer<T> y(expected.size());
                            embedding<T>(width, table, ids, y);
                            return loaded(y);
                          })));
  }
}

// The order of summation is part of the contract: the reference in float has the same bits.
TYPED_TEST(EmbeddingGradient, SumsRowsInAscendingOrder) {
  using T = TypeParam;
  for (const auto& [entries, columns, count] : kSizes)
    for (std::int64_t padding : {-1, 0, entries / 2}) {
      const Ids ids = random_ids(2, count, entries);
      const Buffer<T> dy = stored<T>(spread(3, count * columns));
      Floats expected(entries * columns);
      reference::embedding_gradient<float>(columns, padding, ids, loaded(dy), expected);
      EXPECT_TRUE(same_bits(expected, same_for_all_teams([&, width = columns] {
                              Floats dtable(expected.size(), NAN);
                              embedding_gradient<T>(width, padding, ids, dy, dtable);
                              return dtable;
                            })));
    }
}

// Adding the gradient of the whole table says what adding to the entries that occur must give, and the others keep what
// they have.
TYPED_TEST(EmbeddingGradient, IsAddedWithoutTheTable) {
  using T = TypeParam;
  for (const auto& [entries, columns, count] : kSizes)
    for (std::int64_t padding : {-1, 0, entries / 2})
      for (std::int32_t used : {entries, std::min(entries, 3)}) {  // few ids: long runs
        const Ids ids = random_ids(2, count, used);
        const Buffer<T> dy = stored<T>(spread(3, count * columns));
        const Floats before = spread(4, entries * columns);
        Floats dtable(before.size()), expected(before.size());
        embedding_gradient<T>(columns, padding, ids, dy, dtable);
        add<float>(before, dtable, expected);
        EXPECT_TRUE(same_bits(expected, same_for_all_teams([&, width = columns] {
                                Floats sum = before;
                                Floats scratch(embedding_gradient_add_scratch(static_cast<std::int64_t>(ids.size())));
                                embedding_gradient_add<T>(width, padding, ids, dy, sum, scratch);
                                return sum;
                              })));
      }
}

TEST(EmbeddingPadding, GetsNoGradient) {
  const Floats dy{1, 2, 4, 8};
  Floats dtable(3);
  embedding_gradient<float>(1, 2, Ids{0, 2, 0, 2}, dy, dtable);
  EXPECT_EQ(dtable, (Floats{5, 0, 0}));
  embedding_gradient<float>(1, -1, Ids{0, 2, 0, 2}, dy, dtable);
  EXPECT_EQ(dtable, (Floats{5, 0, 10}));
}

TEST(EmbeddingIds, AreRefusedOutsideTheTable) {
  const Floats table(6);
  Floats y(4), dtable(6), scratch(embedding_gradient_add_scratch(2));
  for (const Ids& ids : {Ids{0, 3}, Ids{-1, 0}}) {
    EXPECT_THROW(embedding<float>(2, table, ids, y), InternalError);
    EXPECT_THROW(embedding_gradient<float>(2, -1, ids, y, dtable), InternalError);
    EXPECT_THROW(embedding_gradient_add<float>(2, -1, ids, y, dtable, scratch), InternalError);
  }
}

}  // namespace
}  // namespace phasor::kernels
