#include "engine/program/program_builder.h"

#include <gtest/gtest.h>
#include <type_traits>

#include "tests/engine/program/small_program.h"

namespace phasor::test {
namespace {

// A slot's number is none of a buffer, a graph or a row.
static_assert(!std::is_convertible_v<BufferId, SlotId>);
static_assert(!std::is_convertible_v<SlotId, GraphId>);
static_assert(!std::is_convertible_v<int, SlotId>);
static_assert(!std::is_convertible_v<int, BufferId>);

std::string fault(void (*build)(ProgramBuilder&)) {
  ProgramBuilder builder("test", 1);
  try {
    build(builder);
  } catch (const InternalError& error) {
    return error.what();
  }
  return "sound";
}

TEST(ProgramBuilder, AThingOfAnExistingNameIsThatThing) {
  ProgramBuilder b("test", 1);
  EXPECT_EQ(b.slot({.name = "x", .bytes = 8}), b.slot({.name = "x", .bytes = 8}));
  EXPECT_NE(b.slot({.name = "x", .bytes = 8}), b.slot({.name = "x", .phase = "forward", .bytes = 8}));
  EXPECT_EQ(b.graph("add", GraphKind::forward, add_graph(2)), b.graph("add", GraphKind::forward, add_graph(2)));
  EXPECT_EQ(b.find_graph("add"), b.graph("add", GraphKind::forward, add_graph(2)));
  EXPECT_FALSE(b.find_graph("other").valid());
}

TEST(ProgramBuilder, RefusesTwoThingsOfOneName) {
  EXPECT_EQ(fault([](ProgramBuilder& b) {
              b.slot({.name = "x", .phase = "forward", .bytes = 8});
              b.slot({.name = "x", .phase = "forward", .bytes = 12});
            }),
            "program: slot 'forward/x' has two sizes, 8 and 12 bytes");
  EXPECT_EQ(fault([](ProgramBuilder& b) {
              b.slot({.name = "x", .content = Content::batch, .bytes = 8});
              b.slot({.name = "x", .content = Content::weights, .bytes = 8});
            }),
            "program: slot 'x' has two contents, batch and weights");
  EXPECT_EQ(fault([](ProgramBuilder& b) {
              b.graph("add", GraphKind::forward, add_graph(2));
              b.graph("add", GraphKind::forward, add_graph(3));
            }),
            "program: two different graphs are named 'add'");
}

// Steps stand in a turn as long as it lives.
TEST(ProgramBuilder, TurnsEnd) {
  ProgramBuilder b("test", 1, 2);
  const SlotId x = b.slot({.name = "x", .bytes = 8});
  b.begin_phase("phase", 0, 1, Section::step);
  {
    const auto turn = b.turn(3);
    b.zero(x);
  }
  b.zero(x);
  {
    const auto turn = b.micro_batch(1);
    b.zero(x);
  }
  b.zero(x);
  const Program program = b.finish();
  std::vector<int> turns, micro_batches;
  for (const Step& step : program.steps) {
    turns.push_back(step.turn);
    micro_batches.push_back(step.micro_batch);
  }
  EXPECT_EQ(turns, (std::vector{3, -1, 1, -1}));
  EXPECT_EQ(micro_batches, (std::vector{-1, -1, 1, -1}));
}

}  // namespace
}  // namespace phasor::test
