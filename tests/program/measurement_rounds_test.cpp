#include "engine/program/measurement_rounds.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/program/replicas.h"

namespace phasor::test {
namespace {

using testing::ElementsAre;

// Answers a piece's questions one after the other, the last for ever, and counts them.
struct ScriptedClock {
  double operator()(int piece) {
    const std::vector<double>& answers = seconds[piece];
    const std::size_t n = std::min<std::size_t>(asked[piece]++, answers.size() - 1);
    return answers[n];
  }
  std::vector<std::vector<double>> seconds;
  std::vector<int> asked = std::vector<int>(seconds.size());
};

std::vector<double> fastest(ScriptedClock& clock) {
  const auto members = single_communicator();
  return fastest_in_rounds(static_cast<int>(clock.seconds.size()), *members, std::ref(clock));
}

TEST(MeasurementRounds, ThreeRoundsWhereNothingDisturbs) {
  ScriptedClock clock{{{4}, {2}}};
  EXPECT_THAT(fastest(clock), ElementsAre(4, 2));
  EXPECT_THAT(clock.asked, ElementsAre(3, 3));
}

TEST(MeasurementRounds, ADisturbedPieceIsAskedAgain) {
  ScriptedClock clock{{{4}, {7, 3, 2, 8, 2.05}}};
  EXPECT_THAT(fastest(clock), ElementsAre(4, 2));
  EXPECT_THAT(clock.asked, ElementsAre(3, 5));
}

TEST(MeasurementRounds, TwoSlowOnesAlikeProveNothing) {
  ScriptedClock clock{{{9, 9, 2, 2}}};
  EXPECT_THAT(fastest(clock), ElementsAre(2));
  EXPECT_THAT(clock.asked, ElementsAre(4));
}

TEST(MeasurementRounds, EndsOnAMachineThatIsNeverCalm) {
  ScriptedClock clock{{{90, 80, 70, 60, 50, 40, 30, 20, 10}}};
  EXPECT_THAT(fastest(clock), ElementsAre(20));
  EXPECT_THAT(clock.asked, ElementsAre(8));
}

TEST(MeasurementRounds, AllMembersFollowTheFirst) {
  Replicas replicas(3, 1);
  std::vector<ScriptedClock> clocks(3, ScriptedClock{{{1}, {1, 2, 3}}});
  clocks[0] = ScriptedClock{{{7, 5, 5}, {8, 6, 4, 4}}};
  std::vector<std::vector<double>> results(3);
  replicas.run(
      [&](int rank) { results[rank] = fastest_in_rounds(2, replicas.communicator(rank), std::ref(clocks[rank])); });
  for (int rank = 0; rank < 3; ++rank) {
    EXPECT_THAT(results[rank], ElementsAre(5, 4));
    EXPECT_THAT(clocks[rank].asked, ElementsAre(3, 4));
  }
}

TEST(MeasurementRounds, NoPieces) {
  ScriptedClock clock{};
  EXPECT_THAT(fastest(clock), ElementsAre());
}

}  // namespace
}  // namespace phasor::test
