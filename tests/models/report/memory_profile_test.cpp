// What the report says about a plan: sums over its slots that are made here in another way.
#include "models/report/memory_profile.h"

#include <gtest/gtest.h>
#include <numeric>

#include "engine/program/overlap/overlap.h"
#include "tests/engine/program/small_program.h"

namespace phasor::run {
namespace {

using namespace phasor::test;

std::int64_t alive(const MemorySample& sample, Content content) {
  return sample.bytes[static_cast<std::size_t>(content)];
}
std::int64_t sum(const MemorySample& sample) {
  return std::accumulate(sample.bytes.begin(), sample.bytes.end(), std::int64_t{0});
}

// kAlignment is 64 bytes, which the small program's slots of 16 take, too.
TEST(MemoryProfile, CountsWhatIsAliveByContent) {
  const Program program = small_program(1);
  const MemoryProfile profile = profile_memory(program, plan_program(program, 1));
  EXPECT_EQ(profile.steps, 10);
  ASSERT_EQ(profile.samples.size(), 10U);
  const MemorySample& call = profile.samples[3];  // gathered, x -> y
  EXPECT_EQ(call.first, 3);
  EXPECT_EQ(alive(call, Content::weights), 64);
  EXPECT_EQ(alive(call, Content::batch), 64);
  EXPECT_EQ(alive(call, Content::activations), 64);
  EXPECT_EQ(sum(call), 192);
}

TEST(MemoryProfile, ItsPeakIsTheLowerBoundOfThePlan) {
  for (const int depth : {0, 1}) {
    const Program program = overlap(small_program(3), depth);
    const ProgramPlan plan = plan_program(program, 1);
    for (const int samples : {1, 3, 1000}) {
      const MemoryProfile profile = profile_memory(program, plan, samples);
      EXPECT_EQ(std::ssize(profile.samples), std::min(samples, profile.steps));
      EXPECT_EQ(profile.samples[0].first, 0);
      std::int64_t peak = 0;
      for (const MemorySample& sample : profile.samples) peak = std::max(peak, sum(sample));
      EXPECT_EQ(peak, plan.lower_bound_bytes);
    }
  }
}

TEST(MemoryProfile, CountsWhatPhasesMove) {
  const Program program = small_program(2);
  const MemoryProfile profile = profile_memory(program, plan_program(program, 1));
  ASSERT_EQ(profile.phases.size(), 2U);
  const PhaseProfile &forward = profile.phases[0], &backward = profile.phases[1];
  EXPECT_EQ(forward.name, "forward");
  EXPECT_EQ(forward.end_step, backward.first_step);
  EXPECT_EQ(backward.end_step, profile.steps);
  const std::int64_t part = kPart * 4, whole = 2 * part;
  EXPECT_EQ(forward.loaded_bytes, part + whole);
  EXPECT_EQ(forward.stored_bytes, whole);
  EXPECT_EQ(backward.loaded_bytes, whole + part);
  EXPECT_EQ(backward.stored_bytes, part);
}

// The begin and end sections hold what is resident; only a step is profiled.
TEST(MemoryProfile, LooksAtTheStepSectionAlone) {
  const Program program = resident_program(1);
  const MemoryProfile profile = profile_memory(program, plan_program(program, 1));
  EXPECT_EQ(profile.steps, 3);
  ASSERT_EQ(profile.phases.size(), 1U);
  EXPECT_EQ(profile.phases[0].name, "add");
  EXPECT_EQ(profile.phases[0].stored_bytes, 0);
  for (const MemorySample& sample : profile.samples) EXPECT_GE(alive(sample, Content::gradients), 64);
}

}  // namespace
}  // namespace phasor::run
