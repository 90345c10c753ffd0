// Every epoch has every sample once, however many a step takes.
#include "models/batches/data_order.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>

namespace phasor::run {
namespace {

constexpr std::uint64_t kSeed = 42;

// Of the steps from `position` on until the epoch ends.
std::vector<std::vector<std::int64_t>> steps_until_epoch_ends(DataOrder& order, std::int64_t position,
                                                              std::int64_t samples, std::int64_t batch) {
  std::vector<std::vector<std::int64_t>> steps;
  const std::int64_t end = (position / samples + 1) * samples;
  while (position < end) {
    steps.emplace_back(static_cast<std::size_t>(order.samples_of_step(position, batch)));
    for (std::int64_t& sample : steps.back()) sample = order.sample_at(position++);
  }
  EXPECT_EQ(position, end);
  return steps;
}

std::vector<std::int64_t> joined(const std::vector<std::vector<std::int64_t>>& steps) {
  std::vector<std::int64_t> all;
  for (const auto& step : steps) all.insert(all.end(), step.begin(), step.end());
  return all;
}

std::vector<std::int64_t> sorted(std::vector<std::int64_t> values) {
  std::ranges::sort(values);
  return values;
}

TEST(DataOrderTest, AnEpochHasEverySampleOnce) {
  for (const std::int64_t samples : {1, 7, 48, 50}) {
    std::vector<std::int64_t> all(static_cast<std::size_t>(samples));
    std::iota(all.begin(), all.end(), 0);
    for (const std::int64_t batch : {1, 3, 16, 50, 64}) {
      DataOrder order(kSeed, samples);
      std::vector<std::vector<std::int64_t>> epochs;
      std::size_t steps = 0;
      for (std::int64_t epoch = 0; epoch < 3; ++epoch) {
        const auto taken = steps_until_epoch_ends(order, epoch * samples, samples, batch);
        steps += taken.size();
        epochs.push_back(joined(taken));
        EXPECT_EQ(sorted(epochs.back()), all) << samples << " in batches of " << batch;
        for (std::size_t i = 0; i + 1 < taken.size(); ++i) EXPECT_EQ(std::ssize(taken[i]), batch);
      }
      EXPECT_EQ(steps, static_cast<std::size_t>(steps_of_epochs(3, samples, batch)));
      if (samples > 7) {
        EXPECT_NE(epochs[0], epochs[1]);
      }
    }
  }
}

// As a run does that has been stopped, or that stands where no step of this batch ends.
TEST(DataOrderTest, WhatIsLeftOfAnEpochIsWhatWasNotTaken) {
  constexpr std::int64_t kSamples = 50;
  DataOrder straight(kSeed, kSamples);
  const auto second = joined(steps_until_epoch_ends(straight, kSamples, kSamples, 16));
  for (std::int64_t done = 0; done < kSamples; ++done) {
    DataOrder order(kSeed, kSamples);
    const auto left = joined(steps_until_epoch_ends(order, kSamples + done, kSamples, 16));
    EXPECT_EQ(left, std::vector(second.begin() + done, second.end())) << done;
  }
}

TEST(StepsOfEpochs, CountTheShortOnes) {
  EXPECT_EQ(steps_of_epochs(1, 48, 16), 3);
  EXPECT_EQ(steps_of_epochs(2, 50, 16), 8);
  EXPECT_EQ(steps_of_epochs(3, 3, 16), 3);
}

TEST(StepsOfEpochs, OfAPartAreWholeBatches) {
  EXPECT_EQ(steps_of_epochs(0.5, 64, 16), 2);
  EXPECT_EQ(steps_of_epochs(0.49, 64, 16), 1);
  EXPECT_EQ(steps_of_epochs(2.5, 50, 16), 9);
  EXPECT_EQ(steps_of_epochs(2.3, 100, 10), 23);  // although 2.3 - 2 is less than 0.3
  EXPECT_EQ(steps_of_epochs(0.01, 64, 16), 1);   // one at least
}

}  // namespace
}  // namespace phasor::run
