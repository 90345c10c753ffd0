// Random programs compute the same bits in the memory that was planned, however far their transfers move.
#include <atomic>
#include <chrono>
#include <cmath>
#include <gtest/gtest.h>
#include <thread>

#include "engine/program/check/checker.h"
#include "engine/program/overlap/overlap.h"
#include "engine/program/printer.h"
#include "tests/engine/program/program_results.h"
#include "tests/engine/program/random_program.h"
#include "tests/engine/program/shortened.h"
#include "tests/support/sanitized.h"

namespace phasor::test {
namespace {

const OverlapDepth kDepths[] = {0, 1, 2, 3, {2, 0}, {0, 2}, {1, 3}};

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

constexpr int kProgramsOfASeed = kSanitized ? 4 : 10;

class OverlapOfRandomPrograms : public ::testing::TestWithParam<int> {};

TEST_P(OverlapOfRandomPrograms, ChangesNothing) {
  for (int i = 0; i < kProgramsOfASeed; ++i) {
    const int seed = kProgramsOfASeed * GetParam() + i;
    SCOPED_TRACE(seed);
    const Program program = RandomProgram(static_cast<std::uint64_t>(seed), 1 + seed % 2).make();
    check_program(program);
    const std::vector<float> expected = results_of(program, Strategy::no_reuse, std::make_unique<SlowStore>());
    for (float value : expected) ASSERT_TRUE(std::isfinite(value));
    const std::vector<int> shorter{1 + seed % program.micro_batches, program.micro_batches, 1};
    const std::vector<float> expected_of_shorter =
        results_of(program, Strategy::no_reuse, std::make_unique<SlowStore>(), shorter);
    for (const OverlapDepth depth : kDepths) {
      SCOPED_TRACE(fmt::format("phases {}, calls {}", depth.phases, depth.calls));
      const Program overlapped = overlap(program, depth);
      check_program(overlapped);
      ASSERT_EQ(results_of(overlapped, Strategy::best, std::make_unique<SlowStore>()), expected)
          << to_string(program) << to_string(overlapped);
      ASSERT_EQ(results_of(overlapped, Strategy::best, std::make_unique<SlowStore>(), shorter), expected_of_shorter)
          << to_string(program) << to_string(overlapped);
    }
  }
}

// A run of fewer micro-batches is one of a program that has no others.
TEST_P(OverlapOfRandomPrograms, ShorterRunsAreThoseOfShorterPrograms) {
  for (int seed = kProgramsOfASeed * GetParam(); seed < kProgramsOfASeed * (GetParam() + 1); ++seed) {
    const Program program = overlap(RandomProgram(static_cast<std::uint64_t>(seed), 1 + seed % 3).make(), seed % 3);
    for (int n = 1; n <= program.micro_batches; ++n) {
      SCOPED_TRACE(fmt::format("seed {}, {} of {} micro-batches", seed, n, program.micro_batches));
      Program shorter = shortened(program, n);
      shorter.micro_batches = program.micro_batches;  // of whose memory it may leave some unused
      ASSERT_EQ(results_of(program, Strategy::best, memory_store(), {n, n}),
                results_of(shorter, Strategy::no_reuse, memory_store(), {n, n}));
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
