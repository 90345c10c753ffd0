// Weights are packed where a budget of device memory has room for it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/program/memory/byte_text.h"
#include "models/run/fitted_passes.h"
#include "tests/models/plan/run_within.h"
#include "tests/support/run_parts.h"

namespace phasor::run {
namespace {

using ::testing::HasSubstr;
using namespace budgets;

// Large enough to be packed by whatever packs.
RunConfig run_of_layers(std::int64_t budget, std::optional<bool> pack_weights) {
  RunConfig config = run_within(budget);
  test::bert_of(config).hidden_size = 256;
  test::bert_of(config).intermediate_size = 512;
  test::bert_of(config).vocab_size = 100;
  config.execution.recompute = Recompute::layer;
  config.execution.pack_weights = pack_weights;
  return config;
}

class PackedWeightsOfAPlan : public ::testing::Test {
 protected:
  void SetUp() override {
    if (packed_ == as_they_lie_) GTEST_SKIP() << "nobody packs whose products have the same bits without";
    ASSERT_LT(as_they_lie_, packed_);
  }
  const std::int64_t packed_ = planned(run_of_layers(0, true)).peak_bytes(),
                     as_they_lie_ = planned(run_of_layers(0, false)).peak_bytes();
};

TEST_F(PackedWeightsOfAPlan, AreThereWhereThereIsRoom) {
  EXPECT_TRUE(resolve(run_of_layers(0, {}), compute_bound).run.execution.pack_weights);
  const Resolution choice = resolve(run_of_layers(packed_, {}), compute_bound);
  EXPECT_TRUE(choice.run.execution.pack_weights);
  EXPECT_THAT(choice.note, HasSubstr("pack_weights true, embedding_serialization_factor 1; peak"));
}

TEST_F(PackedWeightsOfAPlan, AreLeftOutWhereThereIsNone) {
  for (const std::int64_t budget : {as_they_lie_, packed_ - 1}) {
    const Resolution choice = resolve(run_of_layers(budget, {}), compute_bound);
    EXPECT_FALSE(choice.run.execution.pack_weights);
    EXPECT_EQ(choice.use.device_bytes, as_they_lie_);
    EXPECT_THAT(choice.note, HasSubstr("pack_weights false, embedding_serialization_factor 1; peak"));
    EXPECT_THAT(choice.note, HasSubstr("100 MiB more would allow pack_weights true"));
  }
}

TEST_F(PackedWeightsOfAPlan, StayWhereTheUserSaysSo) {
  EXPECT_THAT(
      refused(run_of_layers(packed_ - 1, true)),
      HasSubstr(fmt::format("{:<44} {:>10.1f} MiB  fits", "execution.pack_weights false", mebibytes(as_they_lie_))));
  EXPECT_FALSE(resolve(run_of_layers(packed_, false), compute_bound).run.execution.pack_weights);
}

// What does not fit in any way is shown as it takes the least.
TEST_F(PackedWeightsOfAPlan, AreNotAmongWhatTakesTheLeast) {
  EXPECT_THAT(refused(run_of_layers(as_they_lie_ / 2, {})),
              HasSubstr(fmt::format("the plan takes {}", byte_text(as_they_lie_))));
}

// The passes of a trained model: before they are smaller.
TEST_F(PackedWeightsOfAPlan, AreLeftOutOfPassesWhereThereIsNoRoom) {
  constexpr PassRequest kPasses{.rows = 12, .largest = 4};
  const auto found = [&](std::int64_t budget, std::optional<bool> pack_weights) {
    return find_passes(settle_defaults(run_of_layers(budget, pack_weights)), kPasses, forward_programs).run;
  };
  const auto bytes_of = [](const ResolvedRun& run) { return forward_bytes(run, forward_programs); };
  const std::int64_t least = bytes_of(found(0, false)), most = bytes_of(found(0, true));
  ASSERT_LT(least, most);
  EXPECT_TRUE(found(most, {}).execution.pack_weights);
  EXPECT_TRUE(found(most - 1, true).execution.pack_weights);
  const ResolvedRun left_out = found(most - 1, {});
  EXPECT_FALSE(left_out.execution.pack_weights);
  EXPECT_EQ(left_out.micro_batch_size, 4);
  EXPECT_EQ(bytes_of(left_out), least);
}

}  // namespace
}  // namespace phasor::run
