// Sums over leaves that are not all there are found, with their place.
#include <gtest/gtest.h>

#include "tests/engine/program/check/draft.h"

namespace phasor::test {
namespace {

const std::string kStepPlace = "program: phase 'phase' instance 3, step ";

// Adds leaves of these micro-batches, of three, and sums them over two replicas.
std::string fault_of_leaves(const std::vector<int>& numbers) {
  Draft draft;
  for (int number : numbers) {
    const auto turn = draft.builder.micro_batch(number);
    draft.builder.zero(draft.a);
    draft.builder.add_leaf(draft.a, draft.wide);
  }
  draft.builder.all_reduce_partials(draft.wide, draft.b);
  draft.builder.store(draft.b, {draft.own, 0});
  return draft.fault();
}

TEST(CheckerPartialSums, LeavesFollowOneAnother) {
  EXPECT_EQ(fault_of_leaves({0, 1, 2}), "sound");
  EXPECT_EQ(fault_of_leaves({0, 2}), kStepPlace + "3 adds leaf 2 to slot 'wide', which holds 1");
  EXPECT_EQ(fault_of_leaves({0, 1, 1}), kStepPlace + "5 adds leaf 1 to slot 'wide', which holds 2");
  EXPECT_EQ(fault_of_leaves({0, 1}), kStepPlace + "4 sums over 3 leaves a replica, but slot 'wide' holds 2");
}

// What else is written to their slot ends them.
TEST(CheckerPartialSums, NothingElseIsSummed) {
  Draft zeroed, scattered;
  zeroed.builder.zero(zeroed.wide);
  zeroed.builder.all_reduce_partials(zeroed.wide, zeroed.b);
  zeroed.builder.store(zeroed.b, {zeroed.own, 0});
  EXPECT_EQ(zeroed.fault(), kStepPlace + "1 sums over 3 leaves a replica, but slot 'wide' holds 0");
  const SlotId partials = scattered.builder.slot({.name = "partials", .bytes = 64});
  scattered.builder.zero(partials);
  scattered.builder.reduce_scatter_partials(partials, scattered.a);
  scattered.builder.store(scattered.a, {scattered.own, 0});
  EXPECT_EQ(scattered.fault(), kStepPlace + "1 sums over 3 leaves a replica, but slot 'partials' holds 0");
}

TEST(CheckerPartialSums, AreReadByTheNextLeaf) {
  Draft draft;
  const auto turn = draft.builder.micro_batch(1);
  draft.builder.zero(draft.a);
  draft.builder.add_leaf(draft.a, draft.wide);
  EXPECT_EQ(draft.fault(), kStepPlace + "1 reads slot 'wide' before it is written");
}

}  // namespace
}  // namespace phasor::test
