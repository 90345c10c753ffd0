#include "models/batches/packing.h"

#include <gtest/gtest.h>
#include <numeric>

#include "engine/base/error.h"
#include "engine/base/random.h"
#include "models/batches/step_batch.h"

namespace phasor::run {
namespace {

class Lengths : public Samples {
 public:
  explicit Lengths(std::vector<std::int64_t> lengths) : lengths_(std::move(lengths)) {}

  std::int64_t size() const override { return std::ssize(lengths_); }
  std::int64_t labels(std::int64_t) const override { return 1; }
  std::int64_t tokens(std::int64_t sample) const override { return lengths_[static_cast<std::size_t>(sample)]; }
  void fill(std::span<const Place>, BatchTensors&) const override {}
  std::string fingerprint() const override { return {}; }

  std::vector<std::int64_t> all() const {
    std::vector<std::int64_t> samples(lengths_.size());
    std::iota(samples.begin(), samples.end(), 0);
    return samples;
  }

 private:
  std::vector<std::int64_t> lengths_;
};

std::string text_of(std::span<const Place> places) {
  std::string text;
  std::int64_t row = -1;
  for (const Place& place : places) {
    if (place.row != row) text += fmt::format("|{}: ", row = place.row);
    text += fmt::format("{}@{} ", place.number, place.first);
  }
  return text;
}

TEST(Packing, FillsRows) {
  const Lengths samples({3, 8, 5, 2, 6, 1});
  const std::vector<Place> places = place_in_rows(samples, samples.all(), {.tokens = 10, .samples = 3});
  EXPECT_EQ(text_of(places), "|0: 1@0 3@8 |1: 0@0 4@3 5@9 |2: 2@0 ");
  EXPECT_EQ(rows_of(places), 3);
  EXPECT_EQ(rows_of({}), 0);
  EXPECT_EQ(text_of(place_in_rows(samples, {.tokens = 10, .samples = 3})), text_of(places));
}

TEST(Packing, TakesTheFewerRows) {
  const RowRoom room{.tokens = 10, .samples = 9};
  const Lengths full({2, 6, 2, 5, 3, 2}), fitting({5, 4, 4, 4, 4, 3, 3, 2});
  EXPECT_EQ(rows_of(place_in_rows(full, room)), 2);
  EXPECT_EQ(rows_of(place_in_rows(fitting, room)), 3);
}

TEST(Packing, KnowsTheSamplesThatWereChosen) {
  const Lengths samples({4, 9, 4, 5});
  const std::vector<Place> places =
      place_in_rows(samples, std::vector<std::int64_t>{2, 1, 2, 0}, {.tokens = 9, .samples = 9});
  EXPECT_EQ(text_of(places), "|0: 1@0 |1: 0@0 2@4 |2: 3@0 ");
  EXPECT_EQ(places[0].sample, 1);
  EXPECT_EQ(places[1].sample, 2);
  EXPECT_EQ(places[2].sample, 2);
}

TEST(Packing, HasNoMoreSamplesInARowThanItHolds) {
  const Lengths samples(std::vector<std::int64_t>(7, 1));
  EXPECT_EQ(text_of(place_in_rows(samples, samples.all(), {.tokens = 100, .samples = 3})),
            "|0: 0@0 1@1 2@2 |1: 3@0 4@1 5@2 |2: 6@0 ");
}

// Of samples that are not asked how long they are, each has its own row, in order.
TEST(Packing, RowsOfOneSample) {
  const Lengths samples({7, 1, 99});
  EXPECT_EQ(text_of(place_in_rows(samples, samples.all(), {.tokens = 10, .samples = 1})), "|0: 0@0 |1: 1@0 |2: 2@0 ");
}

TEST(Packing, ASampleLongerThanARowIsOurMistake) {
  EXPECT_THROW(place_in_rows(Lengths({11}), Lengths({11}).all(), {.tokens = 10, .samples = 2}), InternalError);
}

// Lengths about as SQuAD's, from a tenth of a row to nearly all of it: 32 samples take as many rows as their tokens
// fill, and one or two more.
TEST(Packing, LeavesLittleRoom) {
  constexpr std::int64_t kTokens = 384;
  std::int64_t rows = 0, filled = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    std::vector<std::int64_t> lengths;
    for (std::uint32_t i = 0; i < 32; ++i) {
      const RandomBlock draw = random_block(seed, {i, 0, 0, 0});
      lengths.push_back(40 + draw[0] % 90 + draw[1] % 90 + draw[2] % 90);
    }
    const Lengths samples(lengths);
    const std::vector<Place> places = place_in_rows(samples, samples.all(), {.tokens = kTokens, .samples = 24});
    std::vector<std::int64_t> ends(static_cast<std::size_t>(rows_of(places)), 0);
    for (const Place& place : places) {
      EXPECT_EQ(place.first, ends[static_cast<std::size_t>(place.row)]);
      ends[static_cast<std::size_t>(place.row)] += samples.tokens(place.sample);
    }
    for (const std::int64_t end : ends) EXPECT_LE(end, kTokens);
    const std::int64_t tokens = std::accumulate(lengths.begin(), lengths.end(), std::int64_t{0});
    rows += rows_of(places);
    filled += (tokens + kTokens - 1) / kTokens;
  }
  EXPECT_LE(static_cast<double>(rows), 1.1 * static_cast<double>(filled));
}

// Packed, a micro-batch is one row. Samples that do not fill one take no more than in rows of their own.
TEST(Packing, CountsTheRowsOfAllSamples) {
  ResolvedRun config{.model = bert::Config{.sequence_length = 10}, .micro_batch_size = 3, .samples_of_sequence = 2};
  EXPECT_EQ(row_room(config).tokens, 30);
  EXPECT_EQ(row_room(config).samples, 6);
  EXPECT_EQ(sequences_of(Lengths({6, 6, 6, 6, 6}), config), 3);
  EXPECT_EQ(sequences_of(Lengths({6, 6, 6, 6, 6, 1}), config), 5);  // two micro-batches would hold 6
  EXPECT_EQ(sequences_of(Lengths({6, 6}), config), 2);
  config.samples_of_sequence = 1;
  EXPECT_EQ(row_room(config).samples, 1);
  EXPECT_EQ(sequences_of(Lengths({6, 6, 6, 6, 6}), config), 5);
}

// Rows are dealt in order; what a replica has no rows for stays empty. Numbers lead back to the sample's own, whatever
// the micro-batch.
TEST(StepLayout, DealsRows) {
  const Lengths samples({6, 6, 4, 4, 9});
  std::vector<Place> places = place_in_rows(samples, samples.all(), {.tokens = 10, .samples = 2});
  ASSERT_EQ(text_of(places), "|0: 4@0 |1: 0@0 2@6 |2: 1@0 3@6 ");
  const StepLayout layout{.replicas = 2, .rows = 1};
  EXPECT_EQ(layout.micro_batches(3), 2);
  std::string dealt;
  deal_micro_batches(places, layout, 2, [&](int replica, int m, std::span<const Place> part) {
    dealt += fmt::format("{}.{}: ", replica, m);
    const std::int64_t first_sample = 2 * replica + m;  // as Trainer counts
    for (const Place& place : part) dealt += fmt::format("{}/{} ", place.row, place.number + first_sample);
  });
  EXPECT_EQ(dealt, "0.0: 0/4 0.1: 0/0 0/2 1.0: 0/1 0/3 1.1: ");
}

}  // namespace
}  // namespace phasor::run
