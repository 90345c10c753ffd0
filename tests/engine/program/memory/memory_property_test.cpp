// The memory of a thousand random programs: plans prove sound, and where a slot lies does not show in what is computed.
#include <cmath>

#include "engine/program/overlap/overlap.h"
#include "engine/program/printer.h"
#include "tests/engine/program/check/draft.h"
#include "tests/engine/program/program_results.h"
#include "tests/engine/program/random_program.h"
#include "tests/support/sanitized.h"

namespace phasor::test {
namespace {

constexpr int kRandomPrograms = 1000, kPrefetchDepths = 3, kMostReplicas = 3;

// A tenth of them each, under a sanitizer every fourth of these.
class MemoryOfRandomPrograms : public ::testing::TestWithParam<int> {};

TEST_P(MemoryOfRandomPrograms, PlansAreSoundAndDoNotShow) {
  for (int seed = GetParam(); seed < GetParam() + kRandomPrograms / 10; seed += kSanitized ? 4 : 1) {
    const int replicas = 1 + seed / kPrefetchDepths % kMostReplicas, depth = seed % kPrefetchDepths;
    SCOPED_TRACE(fmt::format("seed {}, {} replicas, transfers {} ahead", seed, replicas, depth));
    const Program drawn = RandomProgram(static_cast<std::uint64_t>(seed), replicas).make();
    ASSERT_EQ(fault_of(drawn), "sound") << to_string(drawn);
    const Program program = overlap(drawn, depth);
    ASSERT_EQ(fault_of(program), "sound") << to_string(program);
    const ProgramPlan best = plan_program(program, 1), apart = plan_program(program, 1, Strategy::no_reuse);
    for (const ProgramPlan& plan : {best, apart}) {
      ASSERT_EQ(fault_of(program, plan), "sound") << to_string(program);
      ASSERT_GE(plan.peak_bytes, plan.lower_bound_bytes);
    }
    ASSERT_EQ(best.lower_bound_bytes > 0, best.peak_bytes > 0);
    ASSERT_LE(best.peak_bytes, apart.peak_bytes);
    const std::vector<float> expected = results_of(program, Strategy::no_reuse, memory_store());
    for (float value : expected) ASSERT_TRUE(std::isfinite(value));
    ASSERT_EQ(results_of(program, Strategy::best, memory_store()), expected) << to_string(program);
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, MemoryOfRandomPrograms, ::testing::Range(0, kRandomPrograms, kRandomPrograms / 10));

// What the tests above are about does occur in these programs.
TEST(MemoryOfRandomPrograms, HaveEverythingInThem) {
  std::vector<int> steps_of_kind(static_cast<std::size_t>(StepKind::wait) + 1, 0);
  int issued = 0, in_place = 0, smaller = 0, workspaces = 0;
  for (int seed = 0; seed < kRandomPrograms; ++seed) {
    const Program program =
        overlap(RandomProgram(static_cast<std::uint64_t>(seed), 1 + seed / kPrefetchDepths % kMostReplicas).make(),
                seed % kPrefetchDepths);
    for (const Step& step : program.steps) {
      ++steps_of_kind[static_cast<std::size_t>(step.kind)];
      issued += step.issues ? 1 : 0;
    }
    for (const Call& call : program.calls) in_place += call.slots[0] == call.slots[2] ? 1 : 0;
    const ProgramPlan best = plan_program(program, 1), apart = plan_program(program, 1, Strategy::no_reuse);
    smaller += best.peak_bytes < apart.peak_bytes ? 1 : 0;
    for (const MemoryPlan& workspace : best.workspaces) workspaces += workspace.peak_bytes > 0 ? 1 : 0;
  }
  for (int count : steps_of_kind) EXPECT_GT(count, 300);
  EXPECT_GT(issued, 5000);
  EXPECT_GT(in_place, 1000);
  EXPECT_GT(workspaces, 1000);
  EXPECT_GT(smaller, kRandomPrograms / 2);
}

}  // namespace
}  // namespace phasor::test
