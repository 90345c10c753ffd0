// Where BERT drops: what its stages declare for training, and that they declare nothing for inference.
#include <algorithm>
#include <gtest/gtest.h>

#include "models/bert/stages.h"

namespace phasor::bert {
namespace {

const Config kConfig{.layers = 3,
                     .hidden_size = 8,
                     .heads = 2,
                     .intermediate_size = 12,
                     .sequence_length = 5,
                     .max_positions = 7,
                     .vocab_size = 11,
                     .dropout_prob = 0.25f};

struct Drop {
  Op op{};
  float probability = 0;
  std::int64_t site = 0;
};

// Of the nodes that can draw.
std::vector<Drop> drops_of(const Stage& stage) {
  std::vector<Drop> drops;
  for (const Node& node : stage.graph.nodes) {
    if (const auto* dropout = std::get_if<DropoutAttributes>(&node.attributes)) {
      drops.push_back({node.op, dropout->probability, dropout->site});
    } else if (const auto* attention = std::get_if<AttentionAttributes>(&node.attributes)) {
      drops.push_back({node.op, attention->probability, attention->site});
    }
  }
  return drops;
}

std::vector<Op> ops_of(const std::vector<Drop>& drops) {
  std::vector<Op> ops;
  for (const Drop& drop : drops) ops.push_back(drop.op);
  return ops;
}

// Devlin et al.: on the embeddings, on attention's probabilities, and on what each half of a layer adds.
TEST(Dropout, IsWhereBertHasIt) {
  const Stages stages = training_stages(kConfig, 2);
  ASSERT_EQ(stages.size(), 4U);
  EXPECT_EQ(ops_of(drops_of(stages[0])), std::vector<Op>());
  EXPECT_EQ(ops_of(drops_of(stages[1])), std::vector<Op>{Op::dropout});
  EXPECT_EQ(ops_of(drops_of(stages[2])), (std::vector<Op>{Op::attention, Op::dropout, Op::dropout}));
  EXPECT_EQ(ops_of(drops_of(stages[3])), std::vector<Op>());
}

TEST(Dropout, HasTheConfiguredProbabilityEverywhere) {
  for (const Stage& stage : training_stages(kConfig, 2)) {
    for (const Drop& drop : drops_of(stage)) EXPECT_EQ(drop.probability, 0.25f) << stage.name;
  }
}

// Sites of one number in a stage would draw the same mask. Stages are told apart by their positions.
TEST(Dropout, HasASiteOfItsOwnWithinItsStage) {
  for (const Stage& stage : training_stages(kConfig, 2)) {
    std::vector<Drop> drops = drops_of(stage);
    std::ranges::sort(drops, {}, &Drop::site);
    EXPECT_EQ(std::ranges::adjacent_find(drops, {}, &Drop::site), drops.end()) << stage.name;
    EXPECT_EQ(stage.position.valid(), !drops.empty()) << stage.name;
  }
}

TEST(Dropout, InferenceHasNone) {
  for (const std::int64_t slices : {1, 2}) {
    for (const Stage& stage : inference_stages(kConfig, 2, slices)) {
      for (const Drop& drop : drops_of(stage)) {
        EXPECT_EQ(drop.op, Op::attention) << stage.name;
        EXPECT_EQ(drop.probability, 0) << stage.name;
      }
    }
  }
}

}  // namespace
}  // namespace phasor::bert
