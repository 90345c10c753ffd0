// Rates are kept apart by what they hold for.
#include "models/machine/rates_cache.h"

#include <gtest/gtest.h>
#include <set>

#include "models/machine/rates.h"
#include "tests/support/letter_files.h"
#include "tests/support/temporary_folder.h"

namespace phasor::run {
namespace {

Rates rates_with(double latency) {
  Rates rates;
  rates.nodes["matmul"] = 3;
  for (LinkRate* link :
       {&rates.clear, &rates.load, &rates.store, &rates.gather, &rates.reduce_scatter, &rates.all_reduce}) {
    *link = {.latency_seconds = latency++, .bytes_per_second = 5, .measured = {{6, 7}}, .cores = 0.5};
  }
  return rates;
}

TEST(RatesCache, HasAFileForEveryKey) {
  const RatesKey key{.replicas = 1, .threads_per_replica = 2, .transfers = "inline"};
  RatesKey replicas = key, threads = key, transfers = key;
  replicas.replicas = 2;
  threads.threads_per_replica = 1;
  transfers.transfers = "queued";
  const std::set paths{rates_path("cache", key), rates_path("cache", replicas), rates_path("cache", threads),
                       rates_path("cache", transfers)};
  EXPECT_EQ(paths.size(), 4U);
  EXPECT_EQ(rates_path("cache", key), rates_path("cache", key));
  EXPECT_EQ(rates_path("", key), "");
}

TEST(RatesCache, GivesBackWhatItWasGiven) {
  const phasor::test::TemporaryFolder folder;
  const std::string path = folder.file("made/rates.json");
  EXPECT_EQ(read_rates(path).clear, LinkRate());
  const Rates given = rates_with(1);
  keep_rates(path, given);
  const Rates read = read_rates(path);
  EXPECT_EQ(read.nodes, given.nodes);
  EXPECT_EQ(read.clear, given.clear);
  EXPECT_EQ(read.load, given.load);
  EXPECT_EQ(read.store, given.store);
  EXPECT_EQ(read.gather, given.gather);
  EXPECT_EQ(read.reduce_scatter, given.reduce_scatter);
  EXPECT_EQ(read.all_reduce, given.all_reduce);
}

// A machine of a single core measures one replica, and reckons with half of its rates.
TEST(RatesCache, KeepsTheRatesOfTwoReplicasApart) {
  const phasor::test::TemporaryFolder folder;
  RunConfig config = phasor::test::letter_run(folder.path());
  config.data.cache = folder.path();
  for (const int replicas : {1, 2}) {
    Rates rates = rates_with(0);
    rates.load.latency_seconds = replicas;
    keep_rates(rates_path(folder.path(), {.replicas = replicas, .threads_per_replica = 1, .transfers = "inline"}),
               rates);
  }
  for (const int replicas : {1, 2}) {
    config.execution.data_parallel = replicas;
    EXPECT_EQ(machine_rates({}, settle_defaults(config), false).load.latency_seconds, replicas);
  }
}

}  // namespace
}  // namespace phasor::run
