// Random programs compute the same bits in the memory that was planned, however far their transfers move.
#include <atomic>
#include <chrono>
#include <cmath>
#include <gtest/gtest.h>
#include <set>
#include <thread>

#include "engine/program/checker.h"
#include "engine/program/overlap.h"
#include "engine/program/printer.h"
#include "engine/program/runner.h"
#include "tests/program/random_program.h"

namespace phasor::test {
namespace {

constexpr int kDepths = 4, kSteps = 2;

// Memory whose transfers take a while, each another one.
class SlowStore : public Store {
 public:
  Region create(const std::string& name, std::int64_t bytes) override { return memory_->create(name, bytes); }
  void read(Region region, std::int64_t offset, std::span<std::byte> to) const override {
    linger();
    memory_->read(region, offset, to);
  }
  void write(Region region, std::int64_t offset, std::span<const std::byte> from) override {
    linger();
    memory_->write(region, offset, from);
  }

 private:
  void linger() const {
    const std::uint32_t drawn = random_block(1, {transfers_++, 0, 0, 0})[0];
    if (drawn % 8 == 0) std::this_thread::sleep_for(std::chrono::microseconds(drawn % 64));
  }
  mutable std::atomic<std::uint32_t> transfers_ = 0;
  std::unique_ptr<Store> memory_ = memory_store();
};

// All rows of all buffers after some steps.
std::vector<float> results_of(const Program& program, Strategy strategy) {
  Machine machine(std::make_unique<SlowStore>(), program.replicas, 1);
  Runner runner(program, machine, strategy);
  const auto for_each_row = [&](auto&& visit) {
    for (const Buffer& buffer : program.buffers)
      for (int replica = 0; replica < program.replicas; ++replica)
        for (std::int64_t row = 0; row < buffer.spec.rows; ++row) visit(buffer, replica, row);
  };
  std::vector<float> values(RandomProgram::kElements);
  for_each_row([&](const Buffer& buffer, int replica, std::int64_t row) {
    if (buffer.origin == Origin::program) return;
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] = static_cast<float>(static_cast<int>(i) % 7 - 3) / static_cast<float>(3 + row + 5 * replica);
    }
    machine.memory[buffer.spec.name].store(replica, row, std::span(values));
  });
  runner.run(Section::begin);
  for (int step = 0; step < kSteps; ++step) runner.run(Section::step);
  runner.run(Section::end);
  EXPECT_EQ(runner.high_water_bytes(), runner.plan().peak_bytes);

  std::vector<float> results;
  for_each_row([&](const Buffer& buffer, int replica, std::int64_t row) {
    machine.memory[buffer.spec.name].load(replica, row, std::span(values));
    results.insert(results.end(), values.begin(), values.end());
  });
  return results;
}

// Walks over a program and a plan of it, and fails where anybody but its own transfer touches a place that a transfer
// under way writes, or writes a place that one reads. Knows nothing of liveness.
void expect_transfers_alone(const Program& program, const ProgramPlan& plan) {
  struct Place {
    std::int64_t begin, end;
    bool meets(const Place& other) const { return begin < other.end && other.begin < end; }
  };
  const auto place_of = [&](int slot) {
    return Place{plan.slot_offsets[slot], plan.slot_offsets[slot] + program.slots[slot].bytes};
  };
  std::set<int> loading, storing;
  for (const Step& step : program.steps) {
    const Access access = access_of(program, step);
    std::vector<Place> reads, writes;
    if (step.kind != StepKind::wait) {
      for (int slot : access.reads) reads.push_back(place_of(slot));
      for (int slot : access.writes) writes.push_back(place_of(slot));
    }
    if (step.kind == StepKind::call) {
      const int graph = program.calls[step.call].graph;
      const std::int64_t offset = plan.workspace_offsets[graph];
      writes.push_back({offset, offset + plan.workspaces[graph].peak_bytes});
    }
    for (int slot : loading) {
      for (const Place& place : reads) EXPECT_FALSE(place.meets(place_of(slot)));
      for (const Place& place : writes) EXPECT_FALSE(place.meets(place_of(slot)));
    }
    for (int slot : storing) {
      const bool follows = step.kind == StepKind::load && step.slot == slot;  // in its queue
      for (const Place& place : writes) EXPECT_FALSE(place.meets(place_of(slot)) && !follows);
    }
    if (is_transfer(step) || step.kind == StepKind::wait) {
      loading.erase(step.slot);
      storing.erase(step.slot);
      if (step.issues) (step.kind == StepKind::load ? loading : storing).insert(step.slot);
    }
  }
}

class OverlapOfRandomPrograms : public ::testing::TestWithParam<int> {};

TEST_P(OverlapOfRandomPrograms, ChangesNothing) {
  constexpr int kPrograms = 10;
  for (int i = 0; i < kPrograms; ++i) {
    const int seed = kPrograms * GetParam() + i;
    SCOPED_TRACE(seed);
    const Program program = RandomProgram(static_cast<std::uint64_t>(seed), 1 + seed % 2).make();
    check_program(program);
    const std::vector<float> expected = results_of(program, Strategy::no_reuse);
    for (float value : expected) ASSERT_TRUE(std::isfinite(value));
    for (int depth = 0; depth < kDepths; ++depth) {
      SCOPED_TRACE(depth);
      const Program overlapped = overlap(program, depth);
      check_program(overlapped);
      for (Strategy strategy : {Strategy::best, Strategy::no_reuse}) {
        expect_transfers_alone(overlapped, plan_program(overlapped, 1, strategy));
      }
      ASSERT_EQ(results_of(overlapped, Strategy::best), expected) << to_string(program) << to_string(overlapped);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, OverlapOfRandomPrograms, ::testing::Range(0, 8));

// Transfers do move in them: else the test above shows nothing.
TEST(OverlapOfRandomPrograms, MovesTransfers) {
  int waits = 0, apart = 0, copies = 0;
  for (int seed = 0; seed < 96; ++seed) {
    const Program program = RandomProgram(static_cast<std::uint64_t>(seed), 1).make();
    const Program overlapped = overlap(program, 1);
    copies += static_cast<int>(overlapped.slots.size() - program.slots.size());
    for (std::size_t i = 1; i < overlapped.steps.size(); ++i) {
      if (overlapped.steps[i].kind != StepKind::wait) continue;
      ++waits;
      apart += overlapped.steps[i - 1].slot != overlapped.steps[i].slot;
    }
  }
  EXPECT_GT(waits, 500);
  EXPECT_GT(apart, waits / 2);
  EXPECT_GT(copies, 96);
}

}  // namespace
}  // namespace phasor::test
