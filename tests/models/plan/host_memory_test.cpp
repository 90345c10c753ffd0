// What a budget of host memory leads to.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/models/plan/run_within.h"
#include "tests/support/run_parts.h"

namespace phasor::run {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using namespace budgets;

// A run of which remote memory takes most: many samples a step.
RunConfig host_run(std::int64_t host_memory) {
  RunConfig config = run_within(0);
  test::bert_of(config).layers = 6;
  test::bert_of(config).vocab_size = 100;
  config.training.global_batch_size = 256;
  config.execution.host_memory.bytes = host_memory;
  return config;
}

std::int64_t host_bytes_with(Recompute recompute, std::int64_t kept_layers = 0) {
  RunConfig config = host_run(0);
  config.execution.recompute = recompute;
  config.execution.kept_layers = kept_layers;
  return memory_use(settle_defaults(config)).host_bytes();
}

TEST(HostMemory, KeepsWhatItHasRoomFor) {
  const std::int64_t all = host_bytes_with(Recompute::none);
  const Resolution whole = resolve(host_run(all), compute_bound);
  EXPECT_EQ(whole.run.execution.recompute, Recompute::none);
  EXPECT_EQ(whole.note, "");
  for (const int layers : {0, 2, 5}) {
    const std::int64_t bytes = host_bytes_with(Recompute::layer, layers);
    const Resolution choice = resolve(host_run(bytes), compute_bound);
    EXPECT_EQ(choice.run.execution.recompute, Recompute::layer);
    EXPECT_EQ(choice.run.execution.kept_stages, layers);
    EXPECT_EQ(choice.use.host_bytes(), bytes);
    EXPECT_THAT(choice.note, HasSubstr(fmt::format("host memory {:.1f} MiB: recompute layer", mebibytes(bytes))));
  }
}

TEST(HostMemory, IsLeftAsItWasGiven) {
  RunConfig config = host_run(host_bytes_with(Recompute::none) - 1);
  config.execution.recompute = Recompute::none;
  EXPECT_THAT(refused(config), HasSubstr(fmt::format("  {:<44} {:>10.1f} MiB  fits", "execution.recompute layer",
                                                     mebibytes(host_bytes_with(Recompute::layer)))));
}

TEST(HostMemory, RefusesInOneScreen) {
  const std::int64_t least = host_bytes_with(Recompute::layer);
  const std::string screen = refused(host_run(least - 1));
  EXPECT_TRUE(screen.starts_with(fmt::format(
      "host memory: {:.1f} MiB, all that execution.host_memory leaves, are too little: the run takes {:.1f} MiB. It "
      "holds\n",
      mebibytes(least - 1), mebibytes(least))))
      << screen;
  for (const char* what : {"weights", "moments", "activations", "their gradients", "batch",
                           "device memory of all replicas, and the program"}) {
    EXPECT_THAT(screen, HasSubstr(fmt::format("\n  {:<44} ", what)));
  }
  EXPECT_THAT(screen, Not(HasSubstr("kept activations")));
  RunConfig smaller = host_run(0);
  smaller.training.global_batch_size = 128;
  smaller.execution.recompute = Recompute::layer;
  EXPECT_THAT(screen, HasSubstr(fmt::format("  {:<44} {:>10.1f} MiB  fits", "training.global_batch_size 128",
                                            mebibytes(memory_use(settle_defaults(smaller)).host_bytes()))));
  EXPECT_THAT(screen, HasSubstr(fmt::format("  {:<44} ", "execution.remote.store file")));
}

TEST(HostMemory, IsShownWhereNothingIsRefused) {
  const Resolution shown = resolve_run(host_run(1), Purpose::show, compute_bound);
  EXPECT_TRUE(shown.refusal.starts_with("host memory: 1 B, all that"));
  EXPECT_EQ(shown.run.execution.recompute, Recompute::layer);
  EXPECT_EQ(shown.use.host_bytes(), host_bytes_with(Recompute::layer));
}

TEST(HostMemory, OfFilesIsTheDevicesAlone) {
  RunConfig config = host_run(0);
  config.execution.remote_store = "file";
  config.execution.remote_path = "nowhere";
  const MemoryUse use = memory_use(settle_defaults(config));
  EXPECT_EQ(use.host_bytes(), use.process_bytes);
  EXPECT_EQ(use.file_bytes(), total(use.remote));
  MemoryUse large = use;
  large.remote[0] = std::int64_t{1} << 60;
  EXPECT_TRUE(fits(use, budgets_of(settle_defaults(config))));
  EXPECT_FALSE(fits(large, budgets_of(settle_defaults(config))));
}

}  // namespace
}  // namespace phasor::run
