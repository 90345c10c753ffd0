// What the report says about a plan: sums over its slots that are made here in another way.
#include "models/tasks/memory_profile.h"

#include <gtest/gtest.h>
#include <numeric>

#include "engine/program/overlap.h"
#include "tests/program/small_program.h"

namespace phasor::tasks {
namespace {

using namespace phasor::test;

std::int64_t alive(const MemorySample& sample, MemoryKind kind) { return sample.bytes[static_cast<int>(kind)]; }
std::int64_t sum(const MemorySample& sample) {
  return std::accumulate(std::begin(sample.bytes), std::end(sample.bytes), std::int64_t{0});
}

// kAlignment is 64 bytes, which the small program's slots of 16 take, too.
TEST(MemoryProfile, CountsWhatIsAliveByKind) {
  const Program program = small_program(1);
  const MemoryProfile profile = profile_memory(program, plan_program(program, 1));
  EXPECT_EQ(profile.steps, 10);
  ASSERT_EQ(profile.samples.size(), 10U);
  const MemorySample& gather = profile.samples[1];  // w -> gathered, a slot whose name says nothing
  EXPECT_EQ(alive(gather, MemoryKind::weights), 64);
  EXPECT_EQ(alive(gather, MemoryKind::activations), 64);
  const MemorySample& call = profile.samples[3];  // gathered, x -> y
  EXPECT_EQ(call.first, 3);
  EXPECT_EQ(alive(call, MemoryKind::batch), 64);
  EXPECT_EQ(alive(call, MemoryKind::activations), 128);
  EXPECT_EQ(sum(call), 192);
}

TEST(MemoryProfile, KnowsKindsByBuffersAndByTheNamesThatLoweringGives) {
  ProgramBuilder b("kinds", 1);
  b.begin_phase("gradient layer", 0, 1, Section::step);
  const auto slot = [&](const char* name) { return b.slot(std::string("gradient.layer/") + name, 16); };
  const auto buffer = [&](const char* name, Origin origin) { return b.buffer({name, vector_spec(4), 1}, origin); };
  b.load(buffer("layer.bias.weight", Origin::state), 0, slot("w.bias"));
  b.load(buffer("layer.bias.moment1", Origin::state), 0, slot("m.bias"));
  b.load(buffer("layer.bias.gradient", Origin::state), 0, slot("g.bias"));
  b.load(buffer("train.batch.mask", Origin::host), 0, slot("mask"));
  b.load(buffer("train.x", Origin::program), 0, slot("x"));
  for (const char* name : {"gathered.bias", "packed0", "gathered.g.bias", "sum0.bias", "dy"}) b.zero(slot(name));
  using enum MemoryKind;
  EXPECT_EQ(kinds_of_slots(b.finish()), (std::vector{weights, optimizer, gradients, batch, activations, weights,
                                                     weights, gradients, gradients, activations}));
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
  for (const MemorySample& sample : profile.samples) EXPECT_GE(alive(sample, MemoryKind::weights), 64);
}

}  // namespace
}  // namespace phasor::tasks
