// Devices of a replica run side by side, and end together.
#include <atomic>
#include <chrono>
#include <gtest/gtest.h>

#include "engine/program/execute/runner.h"
#include "engine/program/simulate/simulator.h"
#include "tests/engine/program/small_pipeline.h"
#include "tests/support/hooked_store.h"
#include "tests/support/message.h"

namespace phasor::test {
namespace {

TEST(PipelineRunner, CarriesEveryMessage) {
  for (const std::int32_t capacity : {1, 2, 5}) {
    Machine machine(memory_store(), 1, 1, 2);
    Runner runner(SmallPipeline{.capacity = capacity}.make(), machine);
    for (int step = 0; step < 3; ++step) {
      for (int m = 0; m < 3; ++m) {
        const std::vector<float> row(kPart, static_cast<float>(10 * step + m));
        machine.memory["batch"].store(0, m, std::span(row));
      }
      const int micro_batches = 3 - step;
      runner.run(Section::step, micro_batches);
      for (int m = 0; m < micro_batches; ++m) {
        std::vector<float> row(kPart);
        machine.memory["out"].load(0, m, std::span(row));
        EXPECT_EQ(row, std::vector<float>(kPart, static_cast<float>(10 * step + m)));
      }
    }
    for (int device : {0, 1}) EXPECT_EQ(runner.high_water_bytes(device), runner.plan(device).peak_bytes);
  }
}

// A device that fails in the middle ends the run at once, with its name; the others, which wait for it, do not.
TEST(PipelineRunner, ADeviceThatFails) {
  Machine machine(std::make_unique<HookedStore>([](auto, const std::string& region, std::int64_t offset) {
                    if (region == "seen" && offset > 0) throw UserError("the disk is gone");
                  }),
                  1, 1, 2);
  Runner runner(SmallPipeline{}.make(), machine);
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(message_of([&] { runner.run(Section::step); }), "device 1, phase 'middle' instance 0: the disk is gone");
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(1));
}

// Each step has the rows that the host wrote for it, while the others' wait.
TEST(PipelineRunner, RunsStepsThatWerePrepared) {
  SmallPipeline small{.iterations = 3};
  Machine machine(memory_store(), 2, 1, 2);
  Runner runner(small.make(2), machine);
  RemoteBuffer &batch = machine.memory["batch"], &out = machine.memory["out"];
  EXPECT_EQ(batch.spec().all_rows(), 9);
  for (int row = 0; row < 9; ++row) {
    for (int replica : {0, 1}) {
      const std::vector<float> values(kPart, static_cast<float>(10 * replica + row));
      batch.store(replica, row, std::span(values));
    }
  }
  runner.run_steps(std::vector<int>{3, 1, 2});
  const std::vector<float> expected{0, 1, 2, 3, 0, 0, 6, 7, 0};  // what no step served was not written
  for (int row = 0; row < 9; ++row) {
    std::vector<float> values(kPart);
    out.load(1, row, std::span(values));
    const float own = expected[static_cast<std::size_t>(row)];
    EXPECT_EQ(values, std::vector<float>(kPart, row == 0 || own > 0 ? own + 10 : 0)) << row;
  }
}

TEST(PipelineRunner, ADeviceThatFailsBetweenSteps) {
  std::atomic<int> stores = 0;
  Machine machine(std::make_unique<HookedStore>([&](auto, const std::string& region, std::int64_t) {
                    if (region == "seen" && ++stores == 5) throw UserError("the disk is gone");
                  }),
                  1, 1, 2);
  Runner runner(SmallPipeline{.iterations = 3}.make(), machine);
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(message_of([&] {
              runner.run_steps(std::vector<int>{3, 3, 3});
            }),
            "device 1, phase 'middle' instance 0: the disk is gone");
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(1));
}

// The first device copies a row and sends it on, one after the other; the second works on one while the next comes.
TEST(PipelineRunner, IsSimulatedSideBySide) {
  const Rates rates{.clear = {.latency_seconds = 1}, .load = {.latency_seconds = 4}, .store = {.latency_seconds = 2}};
  const PipelineSimulation simulation = simulate(SmallPipeline{}.make(), rates);
  // Device 0 loads for 4 and sends for 1, thrice; device 1 receives for 1, stores for 2 and sends for 1.
  // Device 1 is done at 5 + 4, 10 + 4 and 15 + 4; device 0 receives for 1 and stores for 2: until 18, 21 and 24.
  EXPECT_DOUBLE_EQ(simulation.step_seconds, 24);
  EXPECT_DOUBLE_EQ(simulation.devices[0].step_seconds, 24);
  EXPECT_DOUBLE_EQ(simulation.devices[1].step_seconds, 19);
  EXPECT_DOUBLE_EQ(simulation.idle_share(1), (5 + 1 + 1 + 5) / 24.0);
  EXPECT_DOUBLE_EQ(simulation.idle_share(0), 0.0);
  std::vector<std::pair<double, double>> busy;
  for (const BusySpan& span : simulation.devices[1].busy) busy.emplace_back(span.begin, span.end);
  EXPECT_EQ(busy, (std::vector<std::pair<double, double>>{{5, 9}, {10, 14}, {15, 19}}));
  ASSERT_EQ(simulation.devices[0].busy.size(), 2u);  // a phase each
  EXPECT_DOUBLE_EQ(simulation.devices[0].busy[1].end, 24);
}

}  // namespace
}  // namespace phasor::test
