#include "engine/train/predictor.h"

#include <gtest/gtest.h>

#include "tests/engine/train/toy_model.h"
#include "tests/support/inputs.h"
#include "tests/support/reference_executor.h"
#include "tests/support/tolerance.h"

namespace phasor::test {
namespace {

Elements<double> reals(const std::vector<float>& values) {
  Elements<double> elements;
  elements.reals.assign(values.begin(), values.end());
  return elements;
}

// The logits as the two stages' graphs compute them one after the other.
Doubles reference_logits(Predictor& predictor, const std::vector<float>& features) {
  const ModelState& state = predictor.state();
  Stage body = predictor.stages()[0], head = predictor.stages()[1];
  Elements<double> position, labels;
  position.longs.resize(5);
  labels.ids.resize(kToySamples);
  const Elements<double> x =
      evaluate<double>(body.graph, {reals(features), reals(state.read(StateKind::weight, 0, 0, 0)), position})[0];
  head.graph.outputs = {head.results[0].value};
  return evaluate<double>(head.graph, {x, reals(state.read(StateKind::weight, 1, 0, 0)),
                                       reals(state.read(StateKind::weight, 1, 0, 1)), labels,
                                       reals(std::vector<float>(kToySamples))})[0]
      .reals;
}

// The features are in [-1, 1] and the body's weights are 1: its sums of three are off by their roundings, which gelu,
// of slope below 1.25, passes on. The head sums six products with weights in [-2, 2].
constexpr double kHiddenError = 1.25 * 3 * rounding(3) + 3 * rounding(kNormalRoundings + 2);
constexpr double kLogitError = kToyHidden * 2 * (kHiddenError + 3 * rounding(kToyHidden + 1));

TEST(Predictor, EveryMicroBatchOfEveryReplicaGetsItsResult) {
  for (int replicas : {1, 2, 3}) {
    constexpr int kMicroBatches = 2;
    Machine machine(memory_store(), replicas, 1);
    Predictor predictor({toy_body(0), toy_head()},
                        {.replicas = replicas, .accumulation = kMicroBatches, .rts_threshold = 10}, machine);
    predictor.state().initialise(5);
    const auto features = [](int replica, int m) {
      const Floats values = uniform(static_cast<std::uint64_t>(10 * replica + m), kToySamples * kToyFeatures);
      return std::vector<float>(values.begin(), values.end());
    };
    for (int r = 0; r < replicas; ++r)
      for (int m = 0; m < kMicroBatches; ++m) {
        predictor.write_batch("features", r, m, std::span<const float>(features(r, m)));
      }
    predictor.run();
    for (int r = 0; r < replicas; ++r)
      for (int m = 0; m < kMicroBatches; ++m) {
        std::vector<float> logits(kToySamples * kToyClasses);
        predictor.read_result("logits", r, m, logits);
        expect_within(logits, reference_logits(predictor, features(r, m)), Doubles(logits.size(), kLogitError));
      }
  }
}

TEST(Predictor, KeepsToItsBudget) {
  const auto planned = [](std::int64_t budget) {
    Machine machine(memory_store(), 1, 1);
    return Predictor({toy_body(0), toy_head()}, {.device_memory = budget}, machine).runner().peak_bytes();
  };
  const std::int64_t bytes = planned(0);
  EXPECT_EQ(planned(bytes), bytes);
  EXPECT_THROW(planned(bytes - 1), UserError);
}

}  // namespace
}  // namespace phasor::test
