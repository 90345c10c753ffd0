// The inputs of bench step are those that scripts/compare/bench_pytorch.py makes.
#include "bench/synthetic_batch.h"

#include <gtest/gtest.h>
#include <set>

namespace phasor::bench {
namespace {

const bert::Config kConfig{.sequence_length = 16, .vocab_size = 100};

// By the rule in synthetic_batch.h, computed in Python.
TEST(SyntheticBatch, FollowsTheRule) {
  EXPECT_EQ(draw(0), 0u);
  EXPECT_EQ(draw(1), 16294208416658607535u);
  const run::DenseBatch batch = synthetic_batch(kConfig, 2, 2, 0.25f);
  EXPECT_EQ(batch.input_ids,
            (std::vector<std::int32_t>{39, 79, 52, 11, 95, 87, 79, 12, 61, 43, 22, 42, 49, 94, 65, 8,
                                       91, 91, 47, 39, 98, 4,  46, 37, 69, 79, 59, 28, 86, 13, 34, 98}));
  EXPECT_EQ(batch.labels, (std::vector<std::int32_t>{5, 15, 0, 2}));
  for (std::int32_t s : {0, 1})
    for (std::int32_t p = 0; p < 16; ++p) EXPECT_EQ(batch.token_type_ids[16 * s + p], p < 4 ? 0 : 1);
}

TEST(SyntheticBatch, SamplesDoNotDependOnHowTheyAreBatched) {
  const run::DenseBatch all = synthetic_batch(kConfig, 6, 4, 0.25f), part = synthetic_batch(kConfig, 8, 2, 0.25f);
  const std::vector<std::int32_t> tail(all.input_ids.begin() + 32, all.input_ids.end());
  EXPECT_EQ(tail, part.input_ids);
  EXPECT_EQ((std::vector{all.labels[2], all.labels[3], all.labels[6], all.labels[7]}), part.labels);
}

TEST(SyntheticBatch, IsInRangeAndOfFullLength) {
  const run::DenseBatch batch = synthetic_batch(kConfig, 0, 50, 0.25f);
  EXPECT_EQ(batch.input_ids.size(), 800u);
  EXPECT_EQ(batch.mask, std::vector<float>(800, 0.0f));
  EXPECT_EQ(batch.label_weights, std::vector<float>(100, 0.25f));
  const std::set<std::int32_t> tokens(batch.input_ids.begin(), batch.input_ids.end());
  EXPECT_EQ(*tokens.begin(), 1);  // never the padding
  EXPECT_EQ(*tokens.rbegin(), 99);
  const std::set<std::int32_t> labels(batch.labels.begin(), batch.labels.end());
  EXPECT_EQ(labels.size(), 16u);
  EXPECT_EQ(*labels.rbegin(), 15);
}

}  // namespace
}  // namespace phasor::bench
