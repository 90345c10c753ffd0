// What plan says of a program that is small enough to count by hand.
#include "models/plan/plan_report.h"

#include <gtest/gtest.h>

#include "tests/engine/program/small_program.h"

namespace phasor::run {
namespace {

using namespace phasor::test;

std::int64_t held(const PhaseKind& kind, Content content) { return kind.held[static_cast<std::size_t>(content)]; }

PlanReport report_of(const Program& program, const Rates& rates = {}) {
  const ProgramPlan plan = plan_program(program, 1);
  const Pipeline pipeline(program);
  return report_plan(pipeline, {&plan, 1}, simulate(pipeline, rates));
}

// A part of a row has kPart elements on each of two replicas.
constexpr std::int64_t kPartBytes = kPart * 4, kWholeBytes = 2 * kPartBytes;

TEST(PlanReport, CountsTheRowsOfAllReplicas) {
  const PlanReport report = report_of(small_program(2));
  EXPECT_EQ(report.replicas, 2);
  EXPECT_EQ(report.remote_bytes, 2 * (kPartBytes + kWholeBytes + kWholeBytes));  // weights, batch, kept
  EXPECT_EQ(to_json(report)["remote_bytes"], report.remote_bytes);
  EXPECT_EQ(report_of(small_program(1)).remote_bytes, 3 * kPartBytes);
}

TEST(PlanReport, CountsWhatAReplicaMoves) {
  const PlanReport report = report_of(small_program(2));
  ASSERT_EQ(report.kinds.size(), 2U);
  const PhaseKind &forward = report.kinds[0], &backward = report.kinds[1];
  EXPECT_EQ(forward.loaded_bytes, kPartBytes + kWholeBytes);
  EXPECT_EQ(forward.stored_bytes, kWholeBytes);
  EXPECT_EQ(backward.loaded_bytes, kWholeBytes + kPartBytes);
  EXPECT_EQ(backward.stored_bytes, kPartBytes);
  EXPECT_EQ(report.loaded_bytes, 2 * (kPartBytes + kWholeBytes));
  EXPECT_EQ(report.stored_bytes, kPartBytes + kWholeBytes);
}

// Each slot takes kAlignment. What was alive before the fullest moment, or will be, is not held then.
TEST(PlanReport, HoldsAtThePeakWhatIsAliveThen) {
  const PlanReport report = report_of(small_program(2));
  const PhaseKind &forward = report.kinds[0], &backward = report.kinds[1];
  EXPECT_EQ(forward.peak_bytes, 3 * kAlignment);
  EXPECT_EQ(held(forward, Content::weights), kAlignment);  // gathered; the part they came from has been read
  EXPECT_EQ(held(forward, Content::batch), kAlignment);
  EXPECT_EQ(held(forward, Content::activations), kAlignment);  // y
  EXPECT_EQ(backward.peak_bytes, 2 * kAlignment);
  for (const PhaseKind& kind : report.kinds) {
    std::int64_t sum = 0;
    for (const std::int64_t bytes : kind.held) sum += bytes;
    EXPECT_EQ(sum, kind.peak_bytes) << kind.name;
  }
  EXPECT_EQ(report.device_lower_bound_bytes, 3 * kAlignment);
}

TEST(PlanReport, TakesThePhasesOfOneNameTogether) {
  ProgramBuilder b("copies", 1);
  const BufferId in = b.buffer({"in", vector_spec(kPart), 3}, Origin::host);
  const BufferId out = b.buffer({"out", vector_spec(kPart), 3}, Origin::program);
  const SlotId x = b.slot({.name = "x", .phase = "copy", .bytes = kPartBytes});
  for (int n = 0; n < 3; ++n) {
    b.begin_phase("copy", n, 3, Section::step);
    b.load({in, n}, x);
    b.store(x, {out, n});
  }
  Rates rates;
  rates.load = {.latency_seconds = 2, .bytes_per_second = 8};
  rates.store = {.latency_seconds = 0, .bytes_per_second = 16};
  const PlanReport report = report_of(b.finish(), rates);
  ASSERT_EQ(report.kinds.size(), 1U);
  const PhaseKind& copies = report.kinds[0];
  EXPECT_EQ(copies.phases, 3);
  EXPECT_EQ(copies.peak_bytes, kAlignment);
  EXPECT_EQ(copies.loaded_bytes, 3 * kPartBytes);
  EXPECT_DOUBLE_EQ(copies.seconds.load, 3 * (2 + kPartBytes / 8.0));
  EXPECT_DOUBLE_EQ(copies.seconds.store, 3 * (kPartBytes / 16.0));
  EXPECT_DOUBLE_EQ(report.step_seconds, copies.seconds.load + copies.seconds.store);
  PlanReport steps = report;
  steps.replicas = 2;
  steps.accumulation = 3;
  steps.micro_batch_size = 5;
  EXPECT_DOUBLE_EQ(steps.samples_per_second(), 30 / steps.step_seconds);
}

}  // namespace
}  // namespace phasor::run
