// What a training step of BERT keeps in device memory, by content.
#include <gtest/gtest.h>
#include <set>

#include "engine/lower/lowering.h"
#include "engine/program/memory/occupants.h"
#include "models/bert/stages.h"

namespace phasor::tasks {
namespace {

TEST(SlotContents, BertHasSlotsOfEveryContent) {
  const bert::Config config{.layers = 2, .hidden_size = 64, .intermediate_size = 128, .sequence_length = 32};
  const Stages stages = prepare_stages(bert::training_stages(config, 2), Precision::bfloat16);
  for (Mode mode : {Mode::phased, Mode::monolithic}) {
    const Program program =
        lower_training(stages, {.max_grad_norm = 1}, {.mode = mode, .replicas = 2, .accumulation = 2});
    std::set<Content> contents;
    for (const Occupant& occupant : find_occupants(program, plan_program(program, 1))) {
      contents.insert(content_of(program, occupant));
    }
    contents.erase(Content::packed_weights);  // where the machine gains by it
    std::set<Content> expected{Content::weights, Content::gradients, Content::moments, Content::batch,
                               Content::workspace};
    if (mode == Mode::phased) expected.insert(Content::activations);  // else they stay in the workspace
    EXPECT_EQ(contents, expected);
  }
}

}  // namespace
}  // namespace phasor::tasks
