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
    for (int content = 0; content < kContents; ++content) {
      const bool is_optional = static_cast<Content>(content) == Content::packed_weights;  // where the machine gains
      EXPECT_TRUE(contents.contains(static_cast<Content>(content)) || is_optional)
          << kContentNames[static_cast<std::size_t>(content)];
    }
  }
}

}  // namespace
}  // namespace phasor::tasks
