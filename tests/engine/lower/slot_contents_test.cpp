// What slots and graphs of a lowered program say that they are.
#include <gtest/gtest.h>
#include <set>

#include "engine/lower/lowering.h"
#include "tests/engine/train/toy_model.h"

namespace phasor::test {
namespace {

// Visits training programs of many kinds.
template <class Visit>
void for_each_program(Visit visit) {
  for (Mode mode : {Mode::phased, Mode::monolithic}) {
    for (Recompute recompute : {Recompute::none, Recompute::layer}) {
      for (Precision precision : {Precision::float32, Precision::bfloat16}) {
        for (float max_grad_norm : {0.0f, 1.0f}) {
          visit(lower_training(prepare_stages(toy_model(), precision), {.max_grad_norm = max_grad_norm},
                               {.mode = mode,
                                .replicas = 2,
                                .accumulation = 3,
                                .rts_threshold = 10,
                                .recompute = recompute,
                                .reproducible = max_grad_norm > 0,
                                .precision = precision,
                                .update_slice = 4}));
        }
      }
    }
  }
}

// What a slot says is what the buffer says that it is loaded from or stored to.
TEST(SlotContents, AgreeWithBuffers) {
  for_each_program([](const Program& program) {
    for (const Step& step : program.steps) {
      if (!is_transfer(step)) continue;
      const Slot& slot = program.slots[step.slot];
      const auto& buffer = program.buffers[step.buffer];
      const std::string kind = buffer.spec.name.substr(buffer.spec.name.rfind('.') + 1);
      if (kind == "gradient") {
        EXPECT_EQ(slot.content, Content::gradients) << slot.name;
      } else if (buffer.origin == Origin::state) {
        EXPECT_EQ(slot.content, kind.starts_with("moment") ? Content::moments : Content::weights) << slot.name;
      } else if (buffer.origin == Origin::host) {
        EXPECT_EQ(slot.content, Content::batch) << slot.name;
      }
    }
  });
}

// The squares of gradients are numbers of the step, wherever they lie.
TEST(SlotContents, WholeProgramsHaveNumbersAlone) {
  for_each_program([](const Program& program) {
    for (const Slot& slot : program.slots) {
      EXPECT_TRUE(!slot.phase.empty() || slot.content == Content::batch) << slot.name;
    }
  });
}

// Updates are updates, of a variable's slices and of variables together.
TEST(SlotContents, GraphsWithAnOptimizerAreUpdates) {
  for_each_program([](const Program& program) {
    for (const NamedGraph& named : program.graphs) {
      bool updates = false;
      for (const Node& node : named.graph.nodes) updates |= node.op == Op::adam;
      EXPECT_EQ(named.kind == GraphKind::update, updates) << named.name;
    }
  });
}

// A batch tensor may have the name of an activation, whatever its size.
TEST(SlotContents, ABatchTensorIsItsOwn) {
  for (const std::int64_t samples : {kToySamples, 5 * kToySamples}) {
    Stage stage;
    stage.name = "middle";
    StageBuilder b(stage);
    const Value x = b.activation_in({DType::f32, {kToySamples, kToyHidden}});
    const Value other = b.batch("x", {DType::f32, {samples, kToyHidden}});
    const Value weight = b.variable("weight", {kToySamples, samples}, {}, true);
    b.activation_out(b.add(x, b.matmul(weight, other)));
    const Program program = lower_training({toy_body(), stage, toy_head()}, {}, {.prefetch_depth = 0});
    for (const Call& call : program.calls) {
      if (program.graphs[call.graph].name != "middle.forward") continue;
      ASSERT_EQ(call.slots.size(), 4U);
      std::set<std::int32_t> slots(call.slots.begin(), call.slots.end());
      EXPECT_EQ(slots.size(), 4U);
    }
  }
}

}  // namespace
}  // namespace phasor::test
