// The model computes what Transformers' BertForQuestionAnswering computes: loss, every gradient, and the weights after
// ten steps of AdamW. The goldens are made by scripts/goldens/bert_goldens.py.
#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>

#include "engine/train/predictor.h"
#include "engine/train/trainer.h"
#include "io/hdf5/hdf5.h"
#include "models/bert/stages.h"

namespace phasor::testing {
namespace {

class Golden {
 public:
  explicit Golden(const std::string& name)
      : file_(io::Hdf5File::open(PHASOR_SOURCE_DIR "/tests/goldens/bert_squad_" + name + ".h5")) {}

  std::int64_t integer(const char* name) const { return file_.integer_attribute("/", name); }
  float real(const char* name) const { return static_cast<float>(file_.double_attribute("/", name)); }
  template <class T>
  std::vector<T> values(const std::string& name) const {
    return file_.read<T>(name);
  }

  // Two float32 computations of one quantity differ by a small multiple of the error that either has. PyTorch's is
  // known from its float64 twin; where it happens to be small, an ulp of the largest element stands for it.
  double tolerance(double rounding, double scale) const {
    return 8 * (rounding + std::numeric_limits<float>::epsilon() * scale);
  }
  double tolerance(const std::string& name) const {
    return tolerance(file_.double_attribute(name, "rounding"), file_.double_attribute(name, "scale"));
  }

  bert::Config config() const {
    return {.layers = static_cast<int>(integer("layers")),
            .hidden_size = integer("hidden_size"),
            .heads = integer("heads"),
            .intermediate_size = integer("intermediate_size"),
            .sequence_length = integer("sequence_length"),
            .max_positions = integer("sequence_length"),
            .vocab_size = integer("vocab_size"),
            .dropout_prob = 0};
  }
  OptimizerOptions optimizer() const {
    // A norm that never clips makes the program store its gradients, which is how the test sees them.
    return {.beta1 = file_.double_attribute("/", "beta1"),
            .beta2 = file_.double_attribute("/", "beta2"),
            .eps = real("eps"),
            .weight_decay = real("weight_decay"),
            .bias_correction = true,
            .max_grad_norm = 1e9f};
  }

 private:
  io::Hdf5File file_;
};

template <class T>
std::span<const T> part(const std::vector<T>& values, std::int64_t index, std::int64_t size) {
  return std::span<const T>(values).subspan(static_cast<std::size_t>(index * size), static_cast<std::size_t>(size));
}

// All batches of the golden as the program takes them.
struct Batches {
  explicit Batches(const Golden& golden)
      : batch(golden.integer("batch")),
        sequence(golden.integer("sequence_length")),
        input_ids(golden.values<std::int32_t>("batches/input_ids")),
        token_type_ids(golden.values<std::int32_t>("batches/token_type_ids")) {
    for (std::int32_t attends : golden.values<std::int32_t>("batches/attention_mask")) {
      mask.push_back(attends ? 0 : bert::kMasked);
    }
    const auto starts = golden.values<std::int32_t>("batches/start_positions");
    const auto ends = golden.values<std::int32_t>("batches/end_positions");
    for (std::int64_t step = 0; step < golden.integer("steps"); ++step) {
      for (const auto* positions : {&starts, &ends}) add_labels(part(*positions, step, batch));
    }
  }

  // The mean over the labels inside the sequence, of starts and ends apart.
  void add_labels(std::span<const std::int32_t> positions) {
    const auto inside = [&](std::int32_t position) { return position < sequence; };
    const auto count = static_cast<float>(std::ranges::count_if(positions, inside));
    for (std::int32_t position : positions) {
      labels.push_back(inside(position) ? position : 0);
      weights.push_back(inside(position) ? 0.5f / count : 0);
    }
  }

  template <class Target>
  void write_inputs(Target& target, std::int64_t step) const {
    target.write_batch("input_ids", 0, 0, part(input_ids, step, batch * sequence));
    target.write_batch("token_type_ids", 0, 0, part(token_type_ids, step, batch * sequence));
    target.write_batch("mask", 0, 0, part(mask, step, batch * sequence));
  }
  void write(Trainer& trainer, std::int64_t step) const {
    write_inputs(trainer, step);
    trainer.write_batch("labels", 0, 0, part(labels, step, 2 * batch));
    trainer.write_batch("label_weights", 0, 0, part(weights, step, 2 * batch));
  }

  std::int64_t batch, sequence;
  std::vector<std::int32_t> input_ids, token_type_ids, labels;
  std::vector<float> mask, weights;
};

void expect_near(const std::vector<float>& actual, const std::vector<float>& expected, double tolerance,
                 const std::string& name) {
  ASSERT_EQ(actual.size(), expected.size()) << name;
  double worst = 0;
  for (std::size_t i = 0; i < actual.size(); ++i) worst = std::max(worst, std::abs(double{actual[i]} - expected[i]));
  EXPECT_LE(worst, tolerance) << name;
}

void expect_state(const Golden& golden, const Stages& stages, const ModelState& state, StateKind kind,
                  const std::string& group) {
  for (const CanonicalTensor& tensor : canonical_tensors(stages)) {
    const std::string name = group + "/" + tensor.name;
    expect_near(state.read(kind, tensor), golden.values<float>(name), golden.tolerance(name), name);
  }
}

void write_initial(const Golden& golden, const Stages& stages, ModelState& state) {
  for (const CanonicalTensor& tensor : canonical_tensors(stages)) {
    state.write(StateKind::weight, tensor, golden.values<float>("initial/" + tensor.name));
  }
}

class TransformersParity : public ::testing::TestWithParam<const char*> {};

TEST_P(TransformersParity, LossGradientsAndTenStepsOfAdamW) {
  const Golden golden(GetParam());
  const Batches batches(golden);
  const ExecutionOptions execution;
  Machine machine(memory_store(), execution.replicas, execution.threads_per_replica);
  Trainer trainer(bert::training_stages(golden.config(), batches.batch), golden.optimizer(), execution,
                  static_cast<int>(batches.batch), machine);
  trainer.state().initialise(1);
  write_initial(golden, trainer.stages(), trainer.state());

  const auto losses = golden.values<float>("loss");
  const auto rounding = golden.values<float>("loss_rounding");
  for (std::int64_t step = 0; step < std::ssize(losses); ++step) {
    batches.write(trainer, step);
    const double loss = trainer.step({.step = step, .learning_rate = golden.real("learning_rate")});
    EXPECT_NEAR(loss, losses[step], golden.tolerance(rounding[step], losses[step])) << "step " << step;
    if (step == 0) expect_state(golden, trainer.stages(), trainer.state(), StateKind::gradient, "gradient");
  }
  expect_state(golden, trainer.stages(), trainer.state(), StateKind::weight, "final");
}

TEST_P(TransformersParity, Logits) {
  const Golden golden(GetParam());
  const Batches batches(golden);
  Machine machine(memory_store(), 1, 1);
  Predictor predictor(bert::inference_stages(golden.config(), batches.batch), {}, machine);
  write_initial(golden, predictor.stages(), predictor.state());
  batches.write_inputs(predictor, 0);
  predictor.run();

  const std::int64_t tokens = batches.batch * batches.sequence;
  std::vector<float> logits(static_cast<std::size_t>(2 * tokens));  // starts, then ends
  predictor.read_result("logits", 0, 0, logits);
  std::vector<float> interleaved;  // as the golden has them: [batch, sequence, 2]
  for (std::int64_t i = 0; i < tokens; ++i) {
    interleaved.push_back(logits[i]);
    interleaved.push_back(logits[tokens + i]);
  }
  expect_near(interleaved, golden.values<float>("logits"), golden.tolerance("logits"), "logits");
}

INSTANTIATE_TEST_SUITE_P(Models, TransformersParity, ::testing::Values("a", "b"),
                         [](const auto& test) { return std::string("config_") + test.param; });

}  // namespace
}  // namespace phasor::testing
