// Models of many layers, and of which layers count where.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/program/simulate/simulator.h"
#include "tests/models/plan/run_within.h"
#include "tests/support/run_parts.h"

namespace phasor::run {
namespace {

using ::testing::HasSubstr;
using namespace budgets;

// What a budget leads to is found on models of fewer layers, whose plans have the same peaks.
TEST(ResolveRun, AModelThatIsDeeperTakesNoMoreOfTheDevice) {
  for (const std::int64_t layers : {40, 53}) {
    for (const auto& [depth, loop_overlap] : {std::pair{0, 0}, {1, 1}, {1, 0}, {0, 2}, {2, 2}, {3, 1}}) {
      for (const int way : {0, 1, 2}) {
        RunConfig config = run_within(0);
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
  RunConfig config = run_within(0);
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
  RunConfig config = run_within(peak_with(Recompute::none, 1) + (1 << 20));
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

}  // namespace
}  // namespace phasor::run
