// A network of convolutions, phased and monolithic, held against each other by verify() alone.
#include <gtest/gtest.h>

#include "models/verify/show/text.h"
#include "models/verify/verify.h"
#include "tests/support/digit_files.h"
#include "tests/support/temporary_folder.h"

namespace phasor::run::verify_tests {
namespace {

// recompute, replicas, micro-batch size, precision
using Case = std::tuple<Recompute, int, std::int64_t, Precision>;

class ConvnetPhasedEqualsMonolithic : public ::testing::TestWithParam<Case> {};

TEST_P(ConvnetPhasedEqualsMonolithic, EveryWeightMomentLossAndValue) {
  const test::TemporaryFolder folder{test::Medium::memory};
  test::write_digit_files(folder.path(), "train", 40, 18);
  RunConfig config = test::digit_run(folder.path(), 18);
  config.training.global_batch_size = 12;
  config.execution.rts_threshold = 100;
  std::tie(config.execution.recompute, config.execution.data_parallel, config.execution.micro_batch_size,
           config.precision) = GetParam();
  const VerifyResult result = verify({.config = config,
                                      .against = {},
                                      .transformers = {},
                                      .records = {},
                                      .steps = 3,
                                      .activations = true,
                                      .parts = nullptr},
                                     io::silent());
  EXPECT_TRUE(result.equal()) << to_text(result);
  EXPECT_GT(result.pairs.at(0).activations, 100);
}

INSTANTIATE_TEST_SUITE_P(All, ConvnetPhasedEqualsMonolithic,
                         ::testing::Combine(::testing::Values(Recompute::layer, Recompute::none),
                                            ::testing::Values(1, 2, 3), ::testing::Values(1, 2),
                                            ::testing::Values(Precision::float32, Precision::bfloat16)));

}  // namespace
}  // namespace phasor::run::verify_tests
