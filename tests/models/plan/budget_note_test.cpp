// What is said of more memory than a budget has.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/program/simulate/simulator.h"
#include "tests/models/plan/run_within.h"
#include "tests/support/run_parts.h"

namespace phasor::run {
namespace {

using ::testing::HasSubstr;
using namespace budgets;

// The embedding of a large vocabulary, whole, takes more than 100 MiB beside its halves.
TEST(ResolveRun, TellsWhatAHundredMebibytesMoreWouldBuy) {
  constexpr std::int64_t kMore = std::int64_t{100} << 20;
  RunConfig config = run_within(0);
  test::bert_of(config).vocab_size = 2'000'000;
  config.execution.recompute = Recompute::layer;
  const auto planned_with = [&](std::int64_t slices) {
    RunConfig sliced = config;
    sliced.execution.embedding_serialization_factor = slices;
    return planned(sliced);
  };
  const std::int64_t whole = planned_with(1).peak_bytes(), halves = planned_with(2).peak_bytes();
  const std::int64_t quarters = planned_with(4).peak_bytes();
  ASSERT_GT(whole - halves, kMore);
  ASSERT_LE(quarters, halves - kMore);
  const auto note_of = [&](std::int64_t budget) {
    config.execution.device_memory.bytes = budget;
    return resolve(config, compute_bound).note;
  };
  // Enough for the halves, and a byte too little for it.
  EXPECT_THAT(note_of(halves - kMore), HasSubstr(". 100 MiB more would allow embedding_serialization_factor 2"));
  EXPECT_THAT(note_of(halves - kMore - 1), HasSubstr(". 100 MiB more would change nothing"));
  EXPECT_THAT(note_of(halves),
              HasSubstr(fmt::format("MiB: embedding_serialization_factor 2; peak {:.1f} MiB", mebibytes(halves))));
}

// Both ways to run are timed, and the faster one is promised.
TEST(ResolveRun, TellsHowFastAHundredMebibytesMoreWouldBe) {
  const auto slow = [](const ResolvedRun&, const Pipeline&) { return Rates{.product_flops_per_second = 1e7}; };
  const std::int64_t whole = std::min(peak_with(Recompute::none, 1), peak_with(Recompute::layer, 1));
  const auto seconds_with = [&](Recompute recompute, std::int64_t slices) {
    RunConfig config = run_within(0);
    config.execution.recompute = recompute;
    config.execution.embedding_serialization_factor = slices;
    const PlannedRun run = planned(config);
    return simulate(run.pipeline, slow({}, {})).step_seconds;
  };
  const Resolution choice = resolve(run_within(whole - 1), slow);
  const double mine = seconds_with(choice.run.execution.recompute, 2), best = seconds_with(Recompute::none, 1);
  ASSERT_LT(best, seconds_with(Recompute::layer, 1));
  const auto text = [](double seconds) { return fmt::format("{:.{}f} s a step", seconds, seconds < 10 ? 2 : 1); };
  EXPECT_THAT(choice.note, HasSubstr("embedding_serialization_factor 2; peak "));
  EXPECT_THAT(choice.note, HasSubstr(" MiB, " + text(mine) +
                                     ". 100 MiB more would allow recompute none, "
                                     "embedding_serialization_factor 1, " +
                                     text(best)));
}

}  // namespace
}  // namespace phasor::run
