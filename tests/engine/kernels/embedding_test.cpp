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

struct TableSizes {
  std::int32_t entries;
  std::int64_t columns;
  std::size_t ids;
};
// No ids, one entry for all, many repetitions, most entries absent.
constexpr TableSizes kTableSizes[] = {{5, 3, 0},  {1, 1, 1},    {1, 16, 100},    {2, 17, 301},
                                      {7, 64, 7}, {97, 31, 40}, {1000, 128, 50}, {300, 768, 97}};

template <class T>
struct Embedding : ::testing::Test {};
TYPED_TEST_SUITE(Embedding, StoredTypes);

template <class T>
struct EmbeddingGradient : ::testing::Test {};
TYPED_TEST_SUITE(EmbeddingGradient, StoredTypes);

TYPED_TEST(Embedding, TakesRows) {
  using T = TypeParam;
  for (const auto& [entries, columns, count] : kTableSizes) {
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
  for (const auto& [entries, columns, count] : kTableSizes)
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
  for (const auto& [entries, columns, count] : kTableSizes)
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

// How many slices a table of so many entries is cut into; the last is padded.
constexpr std::int64_t kSlices[] = {1, 2, 3, 7};

// Calls visit(first, entries of a slice).
template <class Visit>
void for_each_slice(std::int64_t entries, std::int64_t slices, Visit visit) {
  const std::int64_t length = (entries + slices - 1) / slices;
  for (std::int64_t first = 0; first < entries; first += length) visit(first, length);
}

// The slices' rows of a table, with rows of NaNs behind the table's end.
template <class T>
Buffer<T> slice_of(const Buffer<T>& table, std::int64_t columns, std::int64_t first, std::int64_t entries) {
  Floats slice(static_cast<std::size_t>(entries * columns), NAN);
  const Floats whole = loaded(table);
  const auto end = std::min<std::size_t>(whole.size(), static_cast<std::size_t>((first + entries) * columns));
  std::copy(whole.begin() + first * columns, whole.begin() + static_cast<std::ptrdiff_t>(end), slice.begin());
  return stored<T>(slice);
}

// One slice after the other replaces its rows, so that minus zero stays minus zero.
TYPED_TEST(Embedding, SlicesInTurnTakeTheRowsOfTheTable) {
  using T = TypeParam;
  for (const auto& [entries, columns, count] : kTableSizes)
    for (std::int64_t slices : kSlices) {
      Floats numbers = uniform(1, entries * columns);
      numbers[0] = -0.0f;
      const Buffer<T> table = stored<T>(numbers);
      const Ids ids = random_ids(2, count, entries);
      Buffer<T> expected(count * columns);
      embedding<T>(columns, table, ids, expected);
      EXPECT_TRUE(same_bits(loaded(expected), same_for_all_teams([&, width = columns, whole = entries] {
                              Buffer<T> y(expected.size());
                              for_each_slice(whole, slices, [&](std::int64_t first, std::int64_t length) {
                                const Buffer<T> slice = slice_of(table, width, first, length);
                                embedding_slice<T>(width, {.first = first, .whole = whole}, slice, ids, y);
                              });
                              return loaded(y);
                            })));
    }
}

TYPED_TEST(EmbeddingGradient, OfSlicesIsThatOfTheTable) {
  using T = TypeParam;
  for (const auto& [entries, columns, count] : kTableSizes)
    for (std::int64_t slices : kSlices)
      for (std::int64_t padding : {-1, 0, entries / 2}) {
        const Ids ids = random_ids(2, count, entries);
        const Buffer<T> dy = stored<T>(spread(3, count * columns));
        Floats expected(entries * columns);
        embedding_gradient<T>(columns, padding, ids, dy, expected);
        for_each_slice(entries, slices, [&, width = columns, whole = entries](std::int64_t first, std::int64_t length) {
          const TableSlice slice{.first = first, .whole = whole};
          Floats part(length * width, 0);  // what belongs to padding entries stays 0
          const auto begin = expected.begin() + first * width;
          std::copy(begin, begin + std::min<std::int64_t>(length * width, expected.end() - begin), part.begin());
          EXPECT_TRUE(same_bits(part, same_for_all_teams([&] {
                                  Floats dtable(part.size(), NAN);
                                  embedding_gradient<T>(width, padding, ids, dy, dtable, slice);
                                  return dtable;
                                })));
          EXPECT_TRUE(same_bits(part, same_for_all_teams([&] {
                                  Floats sum(part.size()),
                                      scratch(embedding_gradient_add_scratch(static_cast<std::int64_t>(ids.size())));
                                  embedding_gradient_add<T>(width, padding, ids, dy, sum, scratch, slice);
                                  return sum;
                                })));
        });
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
    const TableSlice half{.first = 0, .whole = 3};
    EXPECT_THROW(embedding_slice<float>(2, half, table, ids, y), InternalError);
    EXPECT_THROW(embedding_gradient<float>(2, -1, ids, y, dtable, half), InternalError);
    EXPECT_THROW(embedding_gradient_add<float>(2, -1, ids, y, dtable, scratch, half), InternalError);
  }
}

}  // namespace
}  // namespace phasor::kernels
