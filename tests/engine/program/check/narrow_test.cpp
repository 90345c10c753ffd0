// Narrow programs that are the whole one's in small pass, and nothing else does.
#include <gtest/gtest.h>

#include "engine/program/check/checker.h"
#include "tests/engine/program/small_program.h"
#include "tests/support/message.h"

namespace phasor::test {
namespace {

constexpr std::int64_t kWholeRow = 2 * kPart;

// y = x + x of each of two micro-batches, kept remotely; then total = y + y, kept again. Rows of the batch are whole,
// those of what is kept as long as slots.
struct SmallStep {
  std::int64_t elements = kPart;
  std::int64_t rows_of_batch = kWholeRow;
  int row_read = -1;             // by micro-batch 1, of what is kept; -1: its own
  bool stays = false;            // whether x of micro-batch 0 is what micro-batch 1 takes
  bool for_all = false;          // whether what is kept last is read once more, for all
  const char* name = "forward";  // of its graph
  Content content = Content::activations;
  std::int64_t offset = 0;  // of what is first added, within its slot
  bool multiplies = false;  // in the place of the first addition

  Graph first() const {
    Graph graph;
    const Value a = graph.add_input(vector_spec(elements), "a"), b = graph.add_input(vector_spec(elements), "b");
    graph.outputs = {multiplies ? Builder(graph).gelu(a) : Builder(graph).add(a, b)};
    return graph;
  }

  Program make() const {
    ProgramBuilder b("small", 1, 2);
    const BufferId batch = b.buffer({"batch", vector_spec(rows_of_batch), 2}, Origin::host);
    const BufferId kept = b.buffer({"kept", vector_spec(elements), 2}, Origin::program);
    const BufferId out = b.buffer({"out", vector_spec(elements), 2}, Origin::program);
    const auto slot = [&](const char* slot_name) {
      return b.slot({.name = slot_name, .phase = "all", .content = content, .bytes = elements * 4 + offset});
    };
    const SlotId x = slot("x"), y = slot("y");
    const GraphId graph_of_x = b.graph(name, GraphKind::forward, first());
    const GraphId graph_of_y = b.graph("backward", GraphKind::gradient, add_graph(elements));
    b.begin_phase("forward", 0, 1, Section::step);
    for (int m = 0; m < 2; ++m) {
      const auto turn = b.micro_batch(m);
      if (m == 0 || !stays) b.load({batch, m}, x);
      b.call(graph_of_x, {x, x, y}, {offset, offset, 0});
      b.store(y, {kept, m});
    }
    b.begin_phase("backward", 0, 1, Section::step);
    for (int m = 0; m < 2; ++m) {
      const auto turn = b.micro_batch(m);
      b.load({kept, m == 1 && row_read >= 0 ? row_read : m}, x);
      b.call(graph_of_y, {x, x, y});
      b.store(y, {out, m});
    }
    if (for_all) {
      b.load({kept, 0}, x);
      b.store(x, {out, 0});
    }
    return b.finish();
  }
};

std::string narrow_fault_of(const Pipeline& whole, const Pipeline& narrow) {
  return message_of<InternalError>([&] { check_narrow(whole, narrow); });
}

std::string narrow_fault_of(const SmallStep& whole, const SmallStep& narrow) {
  return narrow_fault_of(Pipeline(whole.make()), Pipeline(narrow.make()));
}

// The same step in both widths.
std::string narrow_fault_of_both(SmallStep step) {
  SmallStep whole = step;
  whole.elements = kWholeRow;
  return narrow_fault_of(whole, step);
}

TEST(CheckNarrow, TheSameStepOnLess) {
  EXPECT_EQ(narrow_fault_of(SmallStep{.elements = kWholeRow}, SmallStep{}), "no error");
  EXPECT_EQ(narrow_fault_of(SmallStep{}, SmallStep{}), "no error");
}

TEST(CheckNarrow, ASlotThatIsLarger) {
  EXPECT_EQ(narrow_fault_of(SmallStep{}, SmallStep{.elements = kWholeRow}),
            "narrow program: slot 'all/x' of 32 bytes in one of 16");
}

TEST(CheckNarrow, OtherSteps) {
  EXPECT_EQ(narrow_fault_of(SmallStep{.elements = kWholeRow}, SmallStep{.stays = true}),
            "narrow program: 11 steps, expected 12");
  EXPECT_EQ(narrow_fault_of(SmallStep{.elements = kWholeRow}, SmallStep{.row_read = 0}),
            "narrow program: phase 'backward' instance 0, step 9 is another than phase 'backward' instance 0, step 9");
}

TEST(CheckNarrow, OtherGraphs) {
  EXPECT_EQ(narrow_fault_of(SmallStep{.elements = kWholeRow}, SmallStep{.name = "other"}),
            "narrow program: graph 'other' is another than 'forward'");
  EXPECT_EQ(narrow_fault_of(SmallStep{.elements = kWholeRow}, SmallStep{.multiplies = true}),
            "narrow program: graph 'forward' is another than 'forward'");
}

TEST(CheckNarrow, WeightsThatAreSmaller) {
  EXPECT_EQ(narrow_fault_of_both({.content = Content::packed_weights}),
            "narrow program: slot 'all/x' of packed weights has 16 bytes, expected 32");
}

TEST(CheckNarrow, TensorsInOtherPlaces) {
  EXPECT_EQ(narrow_fault_of(SmallStep{.elements = kWholeRow}, SmallStep{.offset = 16}),
            "narrow program: call 0 of graph 'forward' is another");
  EXPECT_EQ(narrow_fault_of(SmallStep{.elements = kWholeRow, .offset = 16}, SmallStep{.offset = 8}), "no error");
}

// Each of these is a step that whole programs may do, but not one of which a part is smaller.
TEST(CheckNarrow, AValueThatPassesFromOneMicroBatchToAnother) {
  const std::string reads = " reads what is smaller for one micro-batch than for another, of micro-batch 0";
  EXPECT_EQ(narrow_fault_of_both({.row_read = 0}), "narrow program: phase 'backward' instance 0, step 9" + reads);
  EXPECT_EQ(narrow_fault_of_both({.stays = true}), "narrow program: phase 'forward' instance 0, step 3" + reads);
  EXPECT_EQ(narrow_fault_of_both({.for_all = true}), "narrow program: phase 'backward' instance 0, step 12" + reads);
}

TEST(CheckNarrow, OtherDevices) {
  Pipeline two(SmallStep{}.make());
  two.devices.push_back(SmallStep{}.make());
  EXPECT_EQ(narrow_fault_of(two, Pipeline(SmallStep{}.make())), "narrow pipeline: 1 devices, expected 2");
}

}  // namespace
}  // namespace phasor::test
