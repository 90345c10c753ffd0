// The operations that a training step is credited with.
#include "models/bert/flops.h"

#include <gtest/gtest.h>

#include "models/bert/stages.h"

namespace phasor::bert {
namespace {

const Config kTiny{.layers = 3,
                   .hidden_size = 4,
                   .heads = 2,
                   .intermediate_size = 8,
                   .sequence_length = 5,
                   .max_positions = 7,
                   .vocab_size = 11};

TEST(Flops, AreThoseCountedByHand) {
  // A layer: queries, keys and values 3 (4 x 4 + 4) = 60, output 20, intermediate 4 x 8 + 8 = 40, its output
  // 8 x 4 + 4 = 36, two layer norms 2 x 8 = 16; together 172. The head: 4 x 2 + 2 = 10. Three layers: 526 in all.
  // A token: 6 x 526 = 3156. A sample of 5: 15780.
  // Attention: scores and their use, 2 x (2 x 5 x 5 x 4) = 400 a layer; three times that with the backward: 1200; 3600.
  EXPECT_EQ(training_flops_per_sample(kTiny), 15780 + 3600);
}

TEST(Flops, EmbeddingsDoNotCount) {
  Config larger = kTiny;
  larger.vocab_size *= 10;
  larger.max_positions *= 10;
  EXPECT_EQ(training_flops_per_sample(larger), training_flops_per_sample(kTiny));
}

TEST(Flops, LinearsAreTheMatricesOfALayer) {
  std::int64_t in_linears = 0, in_matrices = 0;
  for (const auto& [inputs, outputs] : layer_linears(kTiny)) in_linears += inputs * outputs;
  const Stage layer = training_stages(kTiny, 1)[2];
  for (const Variable& variable : layer.variables) {
    const Shape& shape = layer.graph.spec(variable.value).shape;
    if (shape.rank() == 2) in_matrices += shape.elements();
  }
  EXPECT_EQ(in_linears, in_matrices);
}

}  // namespace
}  // namespace phasor::bert
