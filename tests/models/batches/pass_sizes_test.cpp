#include "models/batches/pass_sizes.h"

#include <gtest/gtest.h>

namespace phasor::run {
namespace {

std::int64_t passes_of(std::int64_t samples, const PassSizes& pass, int replicas) {
  return (samples + pass.samples(replicas) - 1) / pass.samples(replicas);
}

TEST(PassSizes, OneQuestionIsNotPadded) {
  for (const std::int64_t largest : {1, 2, 4, 64, 1000}) EXPECT_EQ(pass_sizes(1, largest, 1).samples(1), 1);
}

TEST(PassSizes, FewSamplesAreNotPadded) {
  for (std::int64_t samples = 1; samples <= 16; ++samples) {
    EXPECT_EQ(pass_sizes(samples, 4, 1).samples(1), samples);
    EXPECT_LT(pass_sizes(samples, 4, 3).samples(3), samples + 3);
  }
}

TEST(PassSizes, ManySamplesGoInFewEqualPassesOfLargeMicroBatches) {
  for (const std::int64_t largest : {1, 2, 4, 7, 32, 100}) {
    for (const int replicas : {1, 2, 3}) {
      const std::int64_t most = std::max<std::int64_t>(64, largest * replicas);
      for (const std::int64_t samples : {63, 64, 65, 100, 129, 1000, 10833}) {
        const PassSizes pass = pass_sizes(samples, largest, replicas);
        const std::int64_t passes = passes_of(samples, pass, replicas);
        EXPECT_LE(pass.micro_batch_size, largest);
        EXPECT_LE(pass.samples(replicas), most);
        EXPECT_LE(passes, samples / (most / (largest * replicas) * largest * replicas) + 1);
        // A place for each replica and pass may stay empty, and little more.
        EXPECT_LE(passes * pass.samples(replicas), samples * 1.05 + static_cast<double>(passes * replicas))
            << samples << " samples, " << largest << " at most, " << replicas << " replicas";
      }
    }
  }
}

TEST(PassSizes, ASampleMoreThanAPassIsHalfAPass) {
  EXPECT_EQ(pass_sizes(65, 4, 1).samples(1), 33);
  EXPECT_EQ(pass_sizes(64, 4, 1).micro_batch_size, 4);
  EXPECT_EQ(pass_sizes(61, 32, 1).micro_batch_size, 31);  // one place stays empty; 61 micro-batches would take longer
}

// Rows of a micro-batch are those of one device.
TEST(PassSizes, DevicesTakePassesTogether) {
  for (const std::int64_t samples : {1, 16, 64, 65, 1000}) {
    const PassSizes alone = pass_sizes(samples, 4, 2);
    for (const int devices : {2, 3, 16}) {
      const PassSizes together = pass_sizes(samples, 4, 2, devices);
      EXPECT_EQ(together.micro_batch_size, alone.micro_batch_size);
      EXPECT_EQ(together.micro_batches, alone.micro_batches * std::min<std::int64_t>(devices, (samples + 63) / 64));
    }
  }
}

TEST(PassSizes, NothingToReadIsNoError) { EXPECT_EQ(pass_sizes(0, 4, 2).samples(2), 2); }

}  // namespace
}  // namespace phasor::run
