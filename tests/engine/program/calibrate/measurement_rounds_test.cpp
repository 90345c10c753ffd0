#include "engine/program/calibrate/measurement_rounds.h"

#include <algorithm>
#include <array>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/program/execute/replicas.h"

namespace phasor::test {
namespace {

using testing::ElementsAre;

// Answers each piece's questions one after the other, and remembers which pieces were asked for.
struct ScriptedClock {
  double operator()(int piece) {
    const auto before = std::ranges::count(asked, piece);
    asked.push_back(piece);
    return seconds[piece].at(static_cast<std::size_t>(before));
  }
  std::vector<std::vector<double>> seconds;
  std::vector<int> asked{};
};

std::vector<double> medians(ScriptedClock& clock) {
  const auto members = single_communicator();
  return medians_of_rounds(static_cast<int>(clock.seconds.size()), *members, std::ref(clock));
}

TEST(MeasurementRounds, AsksForOnePieceAfterTheOther) {
  ScriptedClock clock{{{4, 4, 4, 4, 4}, {2, 2, 2, 2, 2}}};
  EXPECT_THAT(medians(clock), ElementsAre(4, 2));
  EXPECT_THAT(clock.asked, ElementsAre(0, 1, 0, 1, 0, 1, 0, 1, 0, 1));
}

TEST(MeasurementRounds, WhatDisturbsTwoRoundsDoesNotShow) {
  ScriptedClock clock{{{90, 2, 3, 80, 2.5}}};
  EXPECT_THAT(medians(clock), ElementsAre(3));
}

TEST(MeasurementRounds, WhatDisturbsMostRoundsDoes) {
  ScriptedClock clock{{{2, 7, 6, 8, 2}}};
  EXPECT_THAT(medians(clock), ElementsAre(6));
}

TEST(MeasurementRounds, MembersAreAskedTogetherAndGetTheirOwnTimes) {
  constexpr int kMembers = 3;
  Replicas replicas(kMembers, 1);
  std::vector<std::vector<double>> results(kMembers);
  std::array<int, kMembers> piece_of{};
  replicas.run([&](int rank) {
    Communicator& members = replicas.communicator(rank);
    results[rank] = medians_of_rounds(2, members, [&](int piece) {
      piece_of[static_cast<std::size_t>(rank)] = piece;
      members.barrier();
      EXPECT_THAT(piece_of, testing::Each(piece));
      members.barrier();
      return 10.0 * rank + piece;
    });
  });
  for (int rank = 0; rank < kMembers; ++rank) EXPECT_THAT(results[rank], ElementsAre(10 * rank, 10 * rank + 1));
}

TEST(MeasurementRounds, NoPieces) {
  ScriptedClock clock{};
  EXPECT_THAT(medians(clock), ElementsAre());
}

}  // namespace
}  // namespace phasor::test
