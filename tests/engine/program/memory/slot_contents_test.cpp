#include "engine/program/memory/slot_contents.h"

#include <gtest/gtest.h>
#include <set>

#include "engine/lower/lowering.h"
#include "engine/lower/prepare.h"
#include "tests/engine/train/toy_model.h"

namespace phasor::test {
namespace {

// What the names say is what the buffers say that slots are loaded from and stored to.
void expect_that_buffers_agree(const Program& program) {
  for (const Step& step : program.steps) {
    if (!is_transfer(step)) continue;
    const std::string& slot = program.slots[step.slot].name;
    const auto& buffer = program.buffers[step.buffer];
    const std::string kind = buffer.spec.name.substr(buffer.spec.name.rfind('.') + 1);
    const Content content = content_of_slot(slot);
    if (kind == "gradient") {
      EXPECT_EQ(content, Content::gradients) << slot;
    } else if (buffer.origin == Origin::state) {
      EXPECT_EQ(content, kind.starts_with("moment") ? Content::moments : Content::weights) << slot;
    } else if (buffer.origin == Origin::host) {
      EXPECT_EQ(content, Content::batch) << slot;
    }
  }
}

TEST(SlotContents, EverySlotOfATrainingProgramIsKnown) {
  // Without the phase, a copy's number and the number of one of several.
  const std::set<std::string> batch{"features", "labels",     "label_weights", "position",           "update_position",
                                    "loss",     "loss_scale", "adam_step",     "square_sum.sharded", "square_sum.whole",
                                    "clip"};
  for (Mode mode : {Mode::phased, Mode::monolithic}) {
    for (Recompute recompute : {Recompute::none, Recompute::layer}) {
      for (Precision precision : {Precision::float32, Precision::bfloat16}) {
        for (float max_grad_norm : {0.0f, 1.0f}) {
          const ExecutionOptions execution{.mode = mode,
                                           .replicas = 2,
                                           .accumulation = 3,
                                           .rts_threshold = 10,
                                           .recompute = recompute,
                                           .reproducible = max_grad_norm > 0,
                                           .precision = precision};
          const Program program =
              lower_training(prepare_stages(toy_model(), precision), {.max_grad_norm = max_grad_norm}, execution);
          expect_that_buffers_agree(program);
          for (const Slot& slot : program.slots) {
            if (content_of_slot(slot.name) != Content::batch) continue;
            std::string name = slot.name.substr(slot.name.find('/') + 1);
            name = name.substr(0, name.find(kCopyMark));
            while (std::isdigit(static_cast<unsigned char>(name.back()))) name.pop_back();
            EXPECT_TRUE(batch.contains(name)) << slot.name;
          }
        }
      }
    }
  }
}

TEST(SlotContents, ByName) {
  EXPECT_EQ(content_of_slot("gradient.layer/w.intermediate.dense.weight"), Content::weights);
  EXPECT_EQ(content_of_slot("gradient.layer/rounded.output.dense.weight#1"), Content::weights);
  EXPECT_EQ(content_of_slot("forward.layer/gathered.output.dense.weight"), Content::weights);
  EXPECT_EQ(content_of_slot("forward.layer/packed0"), Content::packed_weights);
  EXPECT_EQ(content_of_slot("gradient.layer/sum0.output.dense.weight"), Content::gradients);
  EXPECT_EQ(content_of_slot("gradient.layer/partial_sums.output.dense.weight"), Content::gradients);
  EXPECT_EQ(content_of_slot("gradient.layer/gathered.g.output.dense.weight"), Content::gradients);
  EXPECT_EQ(content_of_slot("model/m.layer.0.output.dense.weight"), Content::moments);
  EXPECT_EQ(content_of_slot("gradient.layer/x#0"), Content::activations);
  EXPECT_EQ(content_of_slot("forward.layer/kept_out3"), Content::activations);
  EXPECT_EQ(content_of_slot("forward.layer/mask"), Content::batch);
  EXPECT_EQ(content_of_slot("clip"), Content::batch);
}

}  // namespace
}  // namespace phasor::test
