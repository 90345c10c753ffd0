// What a budget of device memory leads to: choices that fit, or a screen that says what would.
#include "models/plan/resolve_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <set>

#include "engine/program/simulate/simulator.h"
#include "models/plan/planned_run.h"
#include "tests/support/run_parts.h"

namespace phasor::run {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

RunConfig small_run(std::int64_t budget) {
  RunConfig config;
  config.model = bert::Config{.layers = 2,
                              .hidden_size = 64,
                              .heads = 2,
                              .intermediate_size = 128,
                              .sequence_length = 32,
                              .max_positions = 32,
                              .vocab_size = 4000};
  config.training.global_batch_size = 16;
  config.execution.micro_batch_size = 4;
  config.execution.threads_per_replica = 1;
  config.execution.device_memory.bytes = budget;
  config.execution.zero_copy = false;  // activations are moved, which takes time
  return config;
}

// Compute takes as long as the products say, transfers nothing: keeping activations is faster.
Rates compute_bound(const ResolvedRun&, const Pipeline&) { return {.product_flops_per_second = 1e9}; }
// The link is slow and compute is free: recomputing is faster.
Rates link_bound(const ResolvedRun&, const Pipeline&) {
  Rates rates;
  rates.load = rates.store = {.latency_seconds = 0, .bytes_per_second = 1e6};
  return rates;
}

Resolution resolve(const RunConfig& config, const RatesOf& rates) { return resolve_run(config, Purpose::train, rates); }

PlannedRun planned(const RunConfig& config) { return plan_run(settle_defaults(config)); }

std::int64_t peak_with(Recompute recompute, std::int64_t slices) {
  RunConfig config = small_run(0);
  config.execution.recompute = recompute;
  config.execution.embedding_serialization_factor = slices;
  return planned(config).peak_bytes();
}

TEST(ResolveRun, WithoutABudgetKeepsActivationsAndTheWholeEmbedding) {
  const Resolution choice = resolve(small_run(0), compute_bound);
  EXPECT_EQ(choice.run.execution.recompute, Recompute::none);
  EXPECT_EQ(choice.run.table_slices, 1);
  EXPECT_EQ(choice.note, "");
}

TEST(ResolveRun, TakesTheFastestThatFits) {
  const std::int64_t both_fit = std::max(peak_with(Recompute::none, 1), peak_with(Recompute::layer, 1));
  const auto recompute = [&](const RatesOf& rates) {
    return resolve(small_run(both_fit), rates).run.execution.recompute;
  };
  EXPECT_EQ(recompute(compute_bound), Recompute::none);
  EXPECT_EQ(recompute(link_bound), Recompute::layer);
}

// Links and compute take alike: running ahead pays, as far as there is room for copies.
Rates balanced(const ResolvedRun&, const Pipeline&) {
  Rates rates{.product_flops_per_second = 1e9};
  rates.load = rates.store = {.latency_seconds = 1e-4, .bytes_per_second = 3e7};
  return rates;
}

TEST(ResolveRun, NoDepthsThatFitAreFaster) {
  RunConfig config = small_run(0);
  config.execution.remote_store = "file";
  config.execution.remote_path = "nowhere";
  config.execution.embedding_serialization_factor = 1;
  struct Way {
    std::int64_t peak_bytes;
    double seconds;
  };
  std::vector<Way> ways;
  for (const Recompute recompute : {Recompute::none, Recompute::layer}) {
    for (const auto& [depth, loop_overlap] : {std::pair{2, 2}, {2, 1}, {1, 1}, {1, 0}, {0, 1}, {0, 0}}) {
      RunConfig way = config;
      way.execution.recompute = recompute;
      way.execution.prefetch_depth = depth;
      way.execution.loop_overlap = loop_overlap;
      const PlannedRun run = planned(way);
      ways.push_back({run.peak_bytes(), simulate(run.pipeline, balanced({}, {})).step_seconds});
    }
  }
  std::set<std::pair<int, int>> chosen;
  for (const Way& limit : ways) {
    config.execution.device_memory.bytes = limit.peak_bytes;
    const ResolvedRun choice = resolve(config, balanced).run;
    const PlannedRun run = plan_run(choice);
    EXPECT_LE(run.peak_bytes(), limit.peak_bytes);
    const double seconds = simulate(run.pipeline, balanced({}, {})).step_seconds;
    for (const Way& way : ways) {
      if (way.peak_bytes <= limit.peak_bytes) {
        EXPECT_LE(seconds, way.seconds);
      }
    }
    chosen.emplace(choice.execution.prefetch_depth, choice.execution.loop_overlap);
  }
  EXPECT_GT(chosen.size(), 1U);
}

// What a budget leads to is found on models of fewer layers, whose plans have the same peaks.
TEST(ResolveRun, AModelThatIsDeeperTakesNoMoreOfTheDevice) {
  for (const std::int64_t layers : {40, 53}) {
    for (const auto& [depth, loop_overlap] : {std::pair{0, 0}, {1, 1}, {1, 0}, {0, 2}, {2, 2}, {3, 1}}) {
      for (const int way : {0, 1, 2}) {
        RunConfig config = small_run(0);
        test::bert_of(config).layers = static_cast<int>(layers);
        config.training.global_batch_size = 8;
        config.execution.prefetch_depth = depth;
        config.execution.loop_overlap = loop_overlap;
        config.execution.recompute = way == 0 ? Recompute::none : Recompute::layer;
        config.execution.embedding_serialization_factor = 1 + way;
        config.execution.data_parallel = 1 + way % 2;
        if (way == 2) config.training.optimizer.max_grad_norm = 1;
        const ResolvedRun shallow = shallow_run(settle_defaults(config));
        EXPECT_LT(architecture::layers(shallow.model), 36);
        EXPECT_EQ(plan_run(shallow).peak_bytes(), planned(config).peak_bytes())
            << layers << " layers, depth " << depth << ", " << loop_overlap << ", way " << way;
      }
    }
  }
}

int depth_of(const RunConfig& config) { return architecture::layers(shallow_run(settle_defaults(config)).model); }

TEST(ResolveRun, OfAResidentModelEveryLayerCounts) {
  RunConfig config = small_run(0);
  test::bert_of(config).layers = 1000;
  config.execution.mode = Mode::monolithic;
  EXPECT_EQ(depth_of(config), 1000);
  config.execution.mode = Mode::phased;
  config.execution.recompute = Recompute::layer;
  config.execution.kept_layers = 3;
  EXPECT_EQ(depth_of(config), 1000);
  config.execution.kept_layers = 0;
  EXPECT_LT(depth_of(config), 100);
  test::bert_of(config).layers = 20;
  EXPECT_EQ(depth_of(config), 20);
}

// Its seconds are those of the whole.
TEST(ResolveRun, PredictsDeepModels) {
  RunConfig config = small_run(peak_with(Recompute::none, 1) + (1 << 20));
  test::bert_of(config).layers = 60;
  config.training.global_batch_size = 8;
  config.execution.remote_store = "file";
  config.execution.remote_path = "nowhere";
  config.execution.embedding_serialization_factor = 1;
  const Resolution choice = resolve(config, balanced);
  const PlannedRun run = plan_run(choice.run);
  const double seconds = simulate(run.pipeline, balanced({}, {})).step_seconds;
  EXPECT_THAT(choice.note, HasSubstr(fmt::format("{:.{}f} s a step", seconds, seconds < 10 ? 2 : 1)));
}

TEST(ResolveRun, SlicesTheEmbeddingNoMoreThanNeeded) {
  const std::int64_t whole = std::min(peak_with(Recompute::none, 1), peak_with(Recompute::layer, 1));
  const Resolution choice = resolve(small_run(whole - 1), compute_bound);
  EXPECT_EQ(choice.run.table_slices, 2);
  EXPECT_LE(plan_run(choice.run).peak_bytes(), whole - 1);
  EXPECT_THAT(choice.note, HasSubstr("embedding_serialization_factor 2; peak"));
  EXPECT_THAT(choice.note, HasSubstr("100 MiB more would allow"));
}

// The embedding of a large vocabulary, whole, takes more than 100 MiB beside its halves.
TEST(ResolveRun, TellsWhatAHundredMebibytesMoreWouldBuy) {
  constexpr std::int64_t kMore = std::int64_t{100} << 20;
  RunConfig config = small_run(0);
  test::bert_of(config).vocab_size = 2'000'000;
  config.execution.recompute = Recompute::layer;
  const auto planned_with = [&](std::int64_t slices) {
    RunConfig sliced = config;
    sliced.execution.embedding_serialization_factor = slices;
    return planned(sliced);
  };
  const std::int64_t whole = planned_with(1).peak_bytes(), halves = planned_with(2).peak_bytes();
  const std::int64_t quarters = planned_with(4).peak_bytes();
  ASSERT_GT(whole - halves, kMore);
  ASSERT_LE(quarters, halves - kMore);
  const auto note_of = [&](std::int64_t budget) {
    config.execution.device_memory.bytes = budget;
    return resolve(config, compute_bound).note;
  };
  // Enough for the halves, and a byte too little for it.
  EXPECT_THAT(note_of(halves - kMore), HasSubstr(". 100 MiB more would allow embedding_serialization_factor 2"));
  EXPECT_THAT(note_of(halves - kMore - 1), HasSubstr(". 100 MiB more would change nothing"));
  EXPECT_THAT(note_of(halves),
              HasSubstr(fmt::format("MiB: embedding_serialization_factor 2; peak {:.1f} MiB", mebibytes(halves))));
}

// Both ways to run are timed, and the faster one is promised.
TEST(ResolveRun, TellsHowFastAHundredMebibytesMoreWouldBe) {
  const auto slow = [](const ResolvedRun&, const Pipeline&) { return Rates{.product_flops_per_second = 1e7}; };
  const std::int64_t whole = std::min(peak_with(Recompute::none, 1), peak_with(Recompute::layer, 1));
  const auto seconds_with = [&](Recompute recompute, std::int64_t slices) {
    RunConfig config = small_run(0);
    config.execution.recompute = recompute;
    config.execution.embedding_serialization_factor = slices;
    const PlannedRun run = planned(config);
    return simulate(run.pipeline, slow({}, {})).step_seconds;
  };
  const Resolution choice = resolve(small_run(whole - 1), slow);
  const double mine = seconds_with(choice.run.execution.recompute, 2), best = seconds_with(Recompute::none, 1);
  ASSERT_LT(best, seconds_with(Recompute::layer, 1));
  const auto text = [](double seconds) { return fmt::format("{:.{}f} s a step", seconds, seconds < 10 ? 2 : 1); };
  EXPECT_THAT(choice.note, HasSubstr("embedding_serialization_factor 2; peak "));
  EXPECT_THAT(choice.note, HasSubstr(" MiB, " + text(mine) +
                                     ". 100 MiB more would allow recompute none, "
                                     "embedding_serialization_factor 1, " +
                                     text(best)));
}

// Resident models keep the activations of as many layers as there is room for.
TEST(ResolveRun, KeepsAsManyLayersAsFit) {
  RunConfig config = small_run(0);
  test::bert_of(config).layers = 5;
  test::bert_of(config).vocab_size = 100;
  config.execution.mode = Mode::monolithic;
  const auto peak_keeping = [&](std::int64_t layers) {
    RunConfig keeping = config;
    keeping.execution.recompute = Recompute::layer;
    keeping.execution.kept_layers = layers;
    return planned(keeping).peak_bytes();
  };
  for (std::int64_t layers = 0; layers < 5; ++layers) {
    ASSERT_LT(peak_keeping(layers), peak_keeping(layers + 1));
    for (const std::int64_t spare : {std::int64_t{0}, peak_keeping(layers + 1) - peak_keeping(layers) - 1}) {
      RunConfig limited = config;
      limited.execution.device_memory.bytes = peak_keeping(layers) + spare;
      const Resolution choice = resolve(limited, compute_bound);
      EXPECT_EQ(choice.run.execution.recompute, Recompute::layer);
      EXPECT_EQ(choice.run.execution.kept_stages, layers);
      EXPECT_THAT(choice.note,
                  HasSubstr(layers > 0 ? fmt::format("recompute layer, kept_layers {};", layers) : "recompute layer;"));
    }
  }
}

TEST(ResolveRun, LeavesWhatWasGiven) {
  RunConfig config = small_run(std::int64_t{1} << 30);
  config.execution.recompute = Recompute::layer;
  config.execution.embedding_serialization_factor = 4;
  const Resolution choice = resolve(config, compute_bound);
  EXPECT_EQ(choice.run.execution.recompute, Recompute::layer);
  EXPECT_EQ(choice.run.table_slices, 4);
  EXPECT_EQ(choice.note, "");
}

std::string refused(const RunConfig& config) {
  try {
    resolve(config, compute_bound);
  } catch (const UserError& error) {
    return error.what();
  }
  return "was not refused";
}

TEST(ResolveRun, RefusesInOneScreen) {
  RunConfig config = small_run(peak_with(Recompute::none, 2));
  config.execution.embedding_serialization_factor = 1;
  config.execution.recompute = Recompute::none;
  const std::string screen = refused(config);
  EXPECT_THAT(screen, HasSubstr("is too little: the plan takes"));
  EXPECT_THAT(screen, HasSubstr("gradient word_embedding"));
  EXPECT_THAT(screen, HasSubstr("gradients"));
  EXPECT_THAT(screen, HasSubstr(fmt::format("{:<44} {:>10.1f} MiB  fits", "execution.embedding_serialization_factor 2",
                                            mebibytes(peak_with(Recompute::none, 2)))));
  EXPECT_LT(std::ranges::count(screen, '\n'), 24);
}

// What a change is said to take is what it takes.
TEST(ResolveRun, TellsThePeakOfEveryChange) {
  RunConfig config = small_run(1 << 18);
  config.execution.recompute = Recompute::none;
  config.execution.embedding_serialization_factor = 1;
  const std::string screen = refused(config);
  EXPECT_TRUE(screen.starts_with("execution.device_memory 256.0 KiB is too little: the plan takes "));
  const auto expect_told = [&](const std::string& change, const RunConfig& changed) {
    EXPECT_THAT(screen,
                HasSubstr(fmt::format("{:<44} {:>10.1f} MiB", change, mebibytes(planned(changed).peak_bytes()))));
  };
  RunConfig replicas = config;
  replicas.execution.data_parallel = 4;
  expect_told("execution.data_parallel 4", replicas);
  EXPECT_THAT(screen, Not(HasSubstr("fits")));
}

// A thread has scratch of its own: those that were said would stay, and the change take more than is told.
TEST(ResolveRun, TellsTheThreadsOfMoreReplicas) {
  RunConfig config = small_run(1 << 18);
  config.execution.recompute = Recompute::none;
  config.execution.embedding_serialization_factor = 1;
  config.execution.threads_per_replica = 4;
  const std::string screen = refused(config);
  config.execution.data_parallel = 4;
  config.execution.threads_per_replica = 1;
  const std::string change = "execution.data_parallel 4, execution.threads_per_replica 1";
  EXPECT_THAT(screen, HasSubstr(fmt::format("{:<44} {:>10.1f} MiB", change, mebibytes(planned(config).peak_bytes()))));
}

// Monolithic runs do without the slices that were said; in phases these count.
TEST(ResolveRun, TellsWhatPhasesTakeWithTheSlicesThatWereSaid) {
  RunConfig config = small_run(1 << 14);
  config.execution.mode = Mode::monolithic;
  config.execution.recompute = Recompute::none;
  config.execution.embedding_serialization_factor = 8;
  const std::string screen = refused(config);
  config.execution.mode = Mode::phased;
  const std::int64_t phased = planned(config).peak_bytes();
  config.execution.embedding_serialization_factor = 1;
  ASSERT_NE(fmt::format("{:.1f}", mebibytes(phased)), fmt::format("{:.1f}", mebibytes(planned(config).peak_bytes())));
  EXPECT_THAT(screen, HasSubstr(fmt::format("{:<44} {:>10.1f} MiB", "execution.mode phased", mebibytes(phased))));
}

// A run of which remote memory takes most: many samples a step.
RunConfig host_run(std::int64_t host_memory) {
  RunConfig config = small_run(0);
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
