// Micro-batches that are not full run narrower programs: what they give is what whole ones give, and memory is as
// planned. Rows of the toy model are its tokens here.
#include <gtest/gtest.h>

#include "engine/train/trainer.h"
#include "tests/engine/train/toy_model.h"
#include "tests/support/inputs.h"
#include "tests/support/tolerance.h"

namespace phasor::test {
namespace {

constexpr std::int64_t kToyRows = 16;

// How many rows of features there are where they are first read, micro-batch by micro-batch.
class RowsSeen : public CallObserver {
 public:
  void call(const CallPlace& place) override { graph_ = &place.graph; }
  void begin(const Graph& graph, std::span<const TensorView> inputs) override {
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      if (graph[graph.inputs[i]].name != "features") continue;
      if (rows.empty()) first_ = graph_->kind;
      if (graph_->kind == first_) rows.push_back(inputs[i].spec.shape[0]);
    }
  }
  void made(const Graph&, const Node&, std::span<const TensorView>) override {}

  std::vector<std::int64_t> rows;

 private:
  const NamedGraph* graph_ = nullptr;
  GraphKind first_{};
};

struct NarrowOutcome {
  std::vector<double> losses;
  std::vector<float> weights;
  std::vector<std::int64_t> rows;  // that replica 0 computed, micro-batch by micro-batch
};

// Two steps whose micro-batches have so many samples; the narrow programs have so many rows.
NarrowOutcome train_narrow(const ExecutionOptions& execution, const std::vector<int>& samples,
                           const std::vector<std::int64_t>& narrow_rows) {
  OptimizerOptions optimizer;
  std::vector<NarrowStages> narrow;
  for (const std::int64_t rows : narrow_rows) narrow.push_back({.tokens = rows, .stages = toy_model(rows)});
  Machine machine(memory_store(), execution.replicas, 1, execution.pipeline.devices);
  Trainer trainer(lower(toy_model(kToyRows), optimizer, execution, narrow), optimizer, execution, kToyRows, machine);
  trainer.state().initialise(3);
  RowsSeen seen;
  std::vector<CallObserver*> observers(static_cast<std::size_t>(execution.replicas * execution.pipeline.devices));
  observers.front() = &seen;
  trainer.runner().observe(observers);
  const int of_replica = static_cast<int>(samples.size()) / execution.replicas;
  NarrowOutcome outcome;
  for (int step = 0; step < 2; ++step) {
    for (std::size_t i = 0; i < samples.size(); ++i) {
      const auto number = static_cast<int>(i), replica = number / of_replica, m = number % of_replica;
      const Floats features = spread(i + 10, kToyRows * kToyFeatures);
      const Ids labels = random_ids(i, kToyRows, kToyClasses);
      Floats weights(kToyRows);
      std::fill_n(weights.begin(), samples[i], 0.125f);
      trainer.write_batch("features", replica, m, std::span(features));
      trainer.write_batch("labels", replica, m, std::span(labels));
      trainer.write_batch("label_weights", replica, m, std::span<const float>(weights));
      trainer.write_tokens(replica, m, samples[i]);
    }
    outcome.losses.push_back(trainer.step({.step = step, .seed = 7, .learning_rate = 0.1f}, of_replica));
  }
  for (const CanonicalTensor& tensor : canonical_tensors(trainer.stages())) {
    const std::vector<float> values = trainer.state().read(StateKind::weight, tensor);
    outcome.weights.insert(outcome.weights.end(), values.begin(), values.end());
  }
  outcome.rows = seen.rows;
  const Runner& runner = trainer.runner();
  for (int device = 0; device < runner.devices(); ++device) {
    EXPECT_EQ(runner.high_water_bytes(device), runner.plan(device).peak_bytes);
  }
  return outcome;
}

class NarrowRows : public ::testing::TestWithParam<std::tuple<Mode, int, int>> {
 protected:
  static ExecutionOptions execution() {
    const auto& [mode, replicas, devices] = GetParam();
    return {.mode = mode,
            .replicas = replicas,
            .accumulation = 4,
            .rts_threshold = 10,
            .recompute = Recompute::none,
            .pipeline = {.devices = devices}};
  }
};

// Padding weighs nothing and adds zeros to all sums: of so few samples each sum is one in the same order.
TEST_P(NarrowRows, GiveWhatWholeOnesGive) {
  const std::vector<int> samples{12, 7, 3, 1, 12, 4, 8, 12};
  const std::vector<int> taken(samples.begin(), samples.begin() + 4 * execution().replicas);
  const NarrowOutcome whole = train_narrow(execution(), taken, {}), narrow = train_narrow(execution(), taken, {8, 4});
  const std::vector<std::int64_t> all{16, 16, 16, 16, 16, 16, 16, 16}, fewer{16, 8, 4, 4, 16, 8, 4, 4};
  EXPECT_EQ(whole.rows, all);
  EXPECT_EQ(narrow.rows, fewer);
  for (std::size_t i = 0; i < whole.losses.size(); ++i) EXPECT_NEAR(narrow.losses[i], whole.losses[i], 1e-6);
  EXPECT_EQ(narrow.weights.size(), whole.weights.size());
  for (std::size_t i = 0; i < whole.weights.size(); ++i) EXPECT_NEAR(narrow.weights[i], whole.weights[i], 1e-5);
}

std::string name_of(const ::testing::TestParamInfo<NarrowRows::ParamType>& test) {
  const auto& [mode, replicas, devices] = test.param;
  return fmt::format("{}_replicas_{}_devices_{}", mode == Mode::phased ? "phased" : "monolithic", replicas, devices);
}

INSTANTIATE_TEST_SUITE_P(Ways, NarrowRows,
                         ::testing::Combine(::testing::Values(Mode::phased, Mode::monolithic), ::testing::Values(1, 2),
                                            ::testing::Values(1, 2)),
                         name_of);

// What of a narrow program lies in remote rows lies in those of the whole one, whatever its own would be.
TEST(NarrowRowsTest, StayInTheRowsOfWholeOnes) {
  for (const int depth : {0, 1}) {
    ExecutionOptions execution{
        .accumulation = 4, .recompute = Recompute::none, .prefetch_depth = depth, .loop_overlap = depth};
    const NarrowOutcome copied = train_narrow(execution, {12, 7, 3, 5}, {7, 3});
    execution.zero_copy = true;
    const NarrowOutcome in_place = train_narrow(execution, {12, 7, 3, 5}, {7, 3});
    EXPECT_EQ(in_place.rows, (std::vector<std::int64_t>{16, 7, 3, 7, 16, 7, 3, 7}));
    EXPECT_EQ(in_place.losses, copied.losses);
    EXPECT_EQ(in_place.weights, copied.weights);
  }
}

// What the host says of one step holds of no other.
TEST(NarrowRowsTest, AreOfOneStep) {
  const NarrowOutcome told = train_narrow({.accumulation = 2}, {3, 3}, {4});
  EXPECT_EQ(told.rows, (std::vector<std::int64_t>{4, 4, 4, 4}));
  Machine machine(memory_store(), 1, 1);
  const std::vector<NarrowStages> narrow{{.tokens = 4, .stages = toy_model(4)}};
  Trainer trainer(lower(toy_model(kToyRows), {}, {}, narrow), {}, {}, kToyRows, machine);
  RowsSeen seen;
  CallObserver* observer = &seen;
  trainer.runner().observe({&observer, 1});
  trainer.write_tokens(0, 0, 3);
  trainer.step({});
  trainer.step({});
  EXPECT_EQ(seen.rows, (std::vector<std::int64_t>{4, kToyRows}));
}

TEST(NarrowRowsTest, TakeTheNarrowestWithRoom) {
  Machine machine(memory_store(), 1, 1);
  std::vector<NarrowStages> narrow;
  for (const std::int64_t rows : {8, 4}) narrow.push_back({.tokens = rows, .stages = toy_model(rows)});
  Trainer trainer(lower(toy_model(kToyRows), {}, {}, narrow), {}, {}, kToyRows, machine);
  std::vector<int> widths;
  for (const std::int64_t tokens : {0, 1, 4, 5, 8, 9, 12}) widths.push_back(trainer.runner().width_of(tokens));
  EXPECT_EQ(widths, (std::vector<int>{1, 1, 1, 2, 2, 0, 0}));
}

}  // namespace
}  // namespace phasor::test
