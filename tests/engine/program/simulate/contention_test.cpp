// Devices that work at the same time slow each other down; those that take turns do not.
#include "engine/program/simulate/contention.h"

#include <gtest/gtest.h>

#include "tests/engine/program/small_pipeline.h"

namespace phasor::test {
namespace {
namespace contention_test {

PipelineSimulation with_spans(std::vector<std::vector<BusySpan>> spans) {
  PipelineSimulation simulation;
  for (auto& of_device : spans) simulation.devices.push_back({.phases = {}, .busy = std::move(of_device)});
  return simulation;
}

TEST(Contention, CountsWhatDevicesHaveInCommon) {
  EXPECT_EQ(overlaps(with_spans({{{0, 0, 4}}, {{0, 2, 3}, {0, 3, 8}}})), (std::vector<double>{0.5, 2 / 6.0}));
  EXPECT_EQ(overlaps(with_spans({{{0, 0, 2}}, {{0, 2, 3}}, {{0, 1, 2}}})), (std::vector<double>{0.25, 0, 0.5}));
  EXPECT_EQ(overlaps(with_spans({{{0, 0, 2}}})), (std::vector<double>{0}));
  EXPECT_EQ(overlaps(with_spans({{}, {}})), (std::vector<double>{0, 0}));
}

TEST(Contention, AddsTimes) {
  const Rates alone{.nodes = {{"a", 4.0}}, .load = {.latency_seconds = 1, .measured = {{8, 2}}}};
  const Rates together{.nodes = {{"a", 1.0}, {"b", 3.0}}, .load = {.latency_seconds = 3, .measured = {{8, 6}}}};
  const Rates half = between(alone, together, 0.5);
  EXPECT_DOUBLE_EQ(half.nodes.at("a"), 1 / (0.5 / 4 + 0.5));
  EXPECT_DOUBLE_EQ(half.nodes.at("b"), 3.0);
  EXPECT_DOUBLE_EQ(half.load.latency_seconds, 2);
  EXPECT_DOUBLE_EQ(half.load.measured[0].seconds, 4);
}

// The two devices of the small pipeline work side by side but at its ends.
TEST(Contention, SlowsDownAsFarAsDevicesWorkTogether) {
  const auto seconds_with = [](double of_load, double of_store) {
    return simulate(SmallPipeline{}.make(),
                    {.load = {.latency_seconds = of_load}, .store = {.latency_seconds = of_store}})
        .step_seconds;
  };
  Rates rates{.load = {.latency_seconds = 8}, .store = {.latency_seconds = 4}};
  rates.alone = {{.load = {.latency_seconds = 4}, .store = {.latency_seconds = 2}}};
  const double seconds = simulate(SmallPipeline{}.make(), rates).step_seconds;
  EXPECT_GT(seconds, seconds_with(4, 2));
  EXPECT_LT(seconds, seconds_with(8, 4));
  rates.alone = {rates};
  EXPECT_DOUBLE_EQ(simulate(SmallPipeline{}.make(), rates).step_seconds, seconds_with(8, 4));
}

}  // namespace contention_test
}  // namespace
}  // namespace phasor::test
