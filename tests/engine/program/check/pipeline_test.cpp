// What a pipeline's devices owe each other is proved before anything runs.
#include <gtest/gtest.h>

#include "engine/base/error.h"
#include "engine/program/check/checker.h"
#include "tests/engine/program/small_pipeline.h"

namespace phasor::test {
namespace {

std::string fault_of_pipeline(const Pipeline& pipeline) {
  try {
    for (const Program& program : pipeline.devices) check_program(program);
    if (pipeline.size() > 1) check_pipeline(pipeline);
  } catch (const InternalError& error) {
    return error.what();
  }
  return "sound";
}

const std::string kFront = "device 0 of 2, phase 'front' instance 0, step ";
const std::string kBack = "device 0 of 2, phase 'back' instance 0, step ";
const std::string kMiddle = "device 1 of 2, phase 'middle' instance 0, step ";

TEST(CheckerPipeline, ASoundOne) {
  for (const std::int32_t capacity : {1, 2, 5})
    EXPECT_EQ(fault_of_pipeline(SmallPipeline{.capacity = capacity}.make()), "sound");
}

TEST(CheckerPipeline, ASwappedPairOfSends) {
  EXPECT_EQ(fault_of_pipeline(SmallPipeline{.sent = {1, 0, 2}}.make()),
            "pipeline: " + kFront + "1 sends message 1 of link 'x' where " + kMiddle + "0 receives message 0");
}

TEST(CheckerPipeline, AMissingReceive) {
  EXPECT_EQ(fault_of_pipeline(SmallPipeline{.received = {0, 1}}.make()),
            "pipeline: " + kFront + "5 sends message 2 of link 'x', which nobody receives");
}

TEST(CheckerPipeline, AMissingSend) {
  EXPECT_EQ(fault_of_pipeline(SmallPipeline{.sent_back = {0, 1}}.make()),
            "pipeline: " + kBack + "10 receives message 2 of link 'dx', which nobody sends");
}

// The second fills the way back before it takes what the first wants to be rid of.
TEST(CheckerPipeline, AnOrderInWhichBothWait) {
  const SmallPipeline four{
      .micro_batches = 4, .capacity = 1, .sent = {0, 1, 2, 3}, .received = {0, 1, 2, 3}, .sent_back = {0, 1, 2, 3}};
  EXPECT_EQ(fault_of_pipeline(four.make()), "pipeline: in runs of 4 micro-batches devices wait for each other: " +
                                                kFront + "7 sends message 3 of link 'x', which is full with 1");
}

TEST(CheckerPipeline, AMessageOfAnotherSize) {
  EXPECT_EQ(fault_of_pipeline(SmallPipeline{.elements_received = 2}.make()),
            "pipeline: " + kFront + "1 sends 16 bytes through link 'x' where " + kMiddle + "0 receives 8");
}

TEST(CheckerPipeline, AMessageOfAnotherMicroBatch) {
  EXPECT_EQ(fault_of_pipeline(SmallPipeline{.served_later = 1}.make()),
            "pipeline: " + kFront + "1 sends message 0 of link 'x' for micro-batch 0, but " + kMiddle +
                "0 receives it for 1");
}

TEST(CheckerPipeline, TheWrongEndOfALink) {
  Pipeline pipeline = SmallPipeline{}.make();
  pipeline.devices[1].device = 0;
  EXPECT_EQ(fault_of_pipeline(pipeline),
            "program: phase 'middle' instance 0, step 0: device 0 is not the one that receives from "
            "link 'x'");
}

TEST(CheckerPipeline, DevicesThatTakeALinkForDifferentOnes) {
  Pipeline pipeline = SmallPipeline{}.make();
  pipeline.devices[1].links[0].capacity = 7;
  EXPECT_EQ(fault_of_pipeline(pipeline), "pipeline: devices take link 'x' for different ones");
}

TEST(CheckerPipeline, ARowOfTwoDevices) {
  Pipeline pipeline = SmallPipeline{}.make();
  pipeline.devices[1].buffers[0].spec.name = "out";
  EXPECT_EQ(fault_of_pipeline(pipeline), "pipeline: " + kMiddle + "1 stores row 0 of buffer 'out', as device 0 does");
}

// The second device reads the table that the first updates, and tells it so.
struct SharedTable {
  bool issues = false, waits_late = false;  // the second's load
  bool tells = true;                        // the first waits for the second's message before its store
  bool reads_again = false;                 // behind the message
  int reads_for = -1;                       // the micro-batch that the last load serves

  static Link done() { return {.name = "done", .from = 1, .to = 0, .bytes = kPart * 4, .capacity = 1}; }

  Program owner() const {
    ProgramBuilder b("small", 1, 2, 0);
    const BufferId table = b.buffer({"table", vector_spec(kPart), 1}, Origin::state);
    const SlotId w = b.slot({.name = "w", .bytes = kPart * 4}), g = b.slot({.name = "g", .bytes = kPart * 4});
    b.begin_phase("update", 0, 1, Section::step);
    if (tells) b.receive(b.link(done()), 0, g);
    b.load({table, 0}, w);
    b.store(w, {table, 0});
    if (!tells) b.receive(b.link(done()), 0, g);
    b.store(g, {b.buffer({"gradient", vector_spec(kPart), 1}, Origin::program), 0});
    return b.finish();
  }
  Program reader() const {
    ProgramBuilder b("small", 1, 2, 1);
    const BufferId table = b.buffer({"table", vector_spec(kPart), 1}, Origin::state);
    const BufferId batch = b.buffer({"batch", vector_spec(kPart), 1}, Origin::host);
    const BufferId seen = b.buffer({"seen", vector_spec(kPart), 2}, Origin::program);
    const SlotId w = b.slot({.name = "w", .bytes = kPart * 4}), g = b.slot({.name = "g", .bytes = kPart * 4});
    b.begin_phase("head", 0, 1, Section::step);
    b.load({batch, 0}, g);
    if (issues) {
      b.issue_load({table, 0}, w);
      if (!waits_late) b.wait(w);
    } else {
      b.load({table, 0}, w);
    }
    b.send(g, b.link(done()), 0);
    if (waits_late) b.wait(w);
    b.store(w, {seen, 0});
    if (reads_again) {
      const auto serving = b.serving(reads_for);
      b.load({table, 0}, w);
      b.store(w, {seen, 1});
    }
    return b.finish();
  }
  std::string fault() const {
    Pipeline pipeline(owner());
    pipeline.devices.push_back(reader());
    return fault_of_pipeline(pipeline);
  }
};

TEST(CheckerPipeline, ATableThatIsStoredBehindItsLoads) {
  for (const bool issues : {false, true}) EXPECT_EQ(SharedTable{.issues = issues}.fault(), "sound");
}

TEST(CheckerPipeline, ATableThatMayStillBeRead) {
  const std::string fault =
      "pipeline: device 0 of 2, phase 'update' instance 0, step 2 stores row 0 of buffer 'table', "
      "and no message tells it that device 1 of 2, phase 'head' instance 0, step ";
  EXPECT_EQ(SharedTable{.reads_again = true}.fault(), fault + "4 has loaded it before");
  EXPECT_EQ((SharedTable{.reads_again = true, .reads_for = 1}.fault()), fault + "4 has loaded it before");
  EXPECT_EQ((SharedTable{.issues = true, .waits_late = true}.fault()), fault + "1 has loaded it before");
  std::string early = fault;
  EXPECT_EQ(SharedTable{.tells = false}.fault(),
            early.replace(early.find("step 2"), 6, "step 1") + "1 has loaded it before");
}

// What is being stored may not be received into.
TEST(CheckerPipeline, ASlotThatIsUnderWay) {
  ProgramBuilder b("small", 1, 1, 1);
  const BufferId seen = b.buffer({"seen", vector_spec(kPart), 2}, Origin::program);
  const SlotId x = b.slot({.name = "x", .bytes = kPart * 4});
  const LinkId there = b.link(SmallPipeline{}.link("x", 0));
  b.begin_phase("middle", 0, 1, Section::step);
  b.receive(there, 0, x);
  b.issue_store(x, {seen, 0});
  b.receive(there, 1, x);
  b.store(x, {seen, 1});
  EXPECT_EQ(fault_of_pipeline(Pipeline(b.finish())),
            "program: phase 'middle' instance 0, step 2 writes slot 'x' before a wait for its store");
}

}  // namespace
}  // namespace phasor::test
