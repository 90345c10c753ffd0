// What a budget of device memory leads to: choices that fit.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <set>

#include "engine/program/simulate/simulator.h"
#include "tests/models/plan/run_within.h"
#include "tests/support/run_parts.h"

namespace phasor::run {
namespace {

using ::testing::HasSubstr;
using namespace budgets;

TEST(ResolveRun, WithoutABudgetKeepsActivationsAndTheWholeEmbedding) {
  const Resolution choice = resolve(run_within(0), compute_bound);
  EXPECT_EQ(choice.run.execution.recompute, Recompute::none);
  EXPECT_EQ(choice.run.table_slices, 1);
  EXPECT_EQ(choice.note, "");
}

TEST(ResolveRun, TakesTheFastestThatFits) {
  const std::int64_t both_fit = std::max(peak_with(Recompute::none, 1), peak_with(Recompute::layer, 1));
  const auto recompute = [&](const RatesOf& rates) {
    return resolve(run_within(both_fit), rates).run.execution.recompute;
  };
  EXPECT_EQ(recompute(compute_bound), Recompute::none);
  EXPECT_EQ(recompute(link_bound), Recompute::layer);
}

TEST(ResolveRun, NoDepthsThatFitAreFaster) {
  RunConfig config = run_within(0);
  config.execution.remote_store = "file";
  config.execution.remote_path = "nowhere";
  config.execution.embedding_serialization_factor = 1;
  struct Way {
    std::int64_t peak_bytes;
    double seconds;
  };
  std::vector<Way> ways;
  for (const Recompute recompute : {Recompute::none, Recompute::layer}) {
    for (const auto& [depth, loop_overlap] : {std::pair{2, 2}, {2, 1}, {1, 1}, {1, 0}, {0, 1}, {0, 0}}) {
      RunConfig way = config;
      way.execution.recompute = recompute;
      way.execution.prefetch_depth = depth;
      way.execution.loop_overlap = loop_overlap;
      const PlannedRun run = planned(way);
      ways.push_back({run.peak_bytes(), simulate(run.pipeline, balanced({}, {})).step_seconds});
    }
  }
  std::set<std::pair<int, int>> chosen;
  for (const Way& limit : ways) {
    config.execution.device_memory.bytes = limit.peak_bytes;
    const ResolvedRun choice = resolve(config, balanced).run;
    const PlannedRun run = plan_run(choice);
    EXPECT_LE(run.peak_bytes(), limit.peak_bytes);
    const double seconds = simulate(run.pipeline, balanced({}, {})).step_seconds;
    for (const Way& way : ways) {
      if (way.peak_bytes <= limit.peak_bytes) {
        EXPECT_LE(seconds, way.seconds);
      }
    }
    chosen.emplace(choice.execution.prefetch_depth, choice.execution.loop_overlap);
  }
  EXPECT_GT(chosen.size(), 1U);
}

TEST(ResolveRun, SlicesTheEmbeddingNoMoreThanNeeded) {
  const std::int64_t whole = std::min(peak_with(Recompute::none, 1), peak_with(Recompute::layer, 1));
  const Resolution choice = resolve(run_within(whole - 1), compute_bound);
  EXPECT_EQ(choice.run.table_slices, 2);
  EXPECT_LE(plan_run(choice.run).peak_bytes(), whole - 1);
  EXPECT_THAT(choice.note, HasSubstr("embedding_serialization_factor 2; peak"));
  EXPECT_THAT(choice.note, HasSubstr("100 MiB more would allow"));
}

// Resident models keep the activations of as many layers as there is room for.
TEST(ResolveRun, KeepsAsManyLayersAsFit) {
  RunConfig config = run_within(0);
  test::bert_of(config).layers = 5;
  test::bert_of(config).vocab_size = 100;
  config.execution.mode = Mode::monolithic;
  const auto peak_keeping = [&](std::int64_t layers) {
    RunConfig keeping = config;
    keeping.execution.recompute = Recompute::layer;
    keeping.execution.kept_layers = layers;
    return planned(keeping).peak_bytes();
  };
  for (std::int64_t layers = 0; layers < 5; ++layers) {
    ASSERT_LT(peak_keeping(layers), peak_keeping(layers + 1));
    for (const std::int64_t spare : {std::int64_t{0}, peak_keeping(layers + 1) - peak_keeping(layers) - 1}) {
      RunConfig limited = config;
      limited.execution.device_memory.bytes = peak_keeping(layers) + spare;
      const Resolution choice = resolve(limited, compute_bound);
      EXPECT_EQ(choice.run.execution.recompute, Recompute::layer);
      EXPECT_EQ(choice.run.execution.kept_stages, layers);
      EXPECT_THAT(choice.note,
                  HasSubstr(layers > 0 ? fmt::format("recompute layer, kept_layers {};", layers) : "recompute layer;"));
    }
  }
}

TEST(ResolveRun, LeavesWhatWasGiven) {
  RunConfig config = run_within(std::int64_t{1} << 30);
  config.execution.recompute = Recompute::layer;
  config.execution.embedding_serialization_factor = 4;
  const Resolution choice = resolve(config, compute_bound);
  EXPECT_EQ(choice.run.execution.recompute, Recompute::layer);
  EXPECT_EQ(choice.run.table_slices, 4);
  EXPECT_EQ(choice.note, "");
}

}  // namespace
}  // namespace phasor::run
