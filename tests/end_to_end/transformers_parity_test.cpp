// The model computes what Transformers' BertForQuestionAnswering computes: loss, every gradient, and the weights after
// ten steps of AdamW. The goldens are made by scripts/goldens/bert_goldens.py.
#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>

#include "engine/train/predictor.h"
#include "engine/train/trainer.h"
#include "models/bert/stages.h"
#include "tests/support/golden.h"
#include "tests/support/whole_rows.h"

namespace phasor::test {
namespace {

bert::Config bert_config(const Golden& golden) {
  return {.layers = static_cast<int>(golden.integer("layers")),
          .hidden_size = golden.integer("hidden_size"),
          .heads = golden.integer("heads"),
          .intermediate_size = golden.integer("intermediate_size"),
          .sequence_length = golden.integer("sequence_length"),
          .max_positions = golden.integer("sequence_length"),
          .vocab_size = golden.integer("vocab_size"),
          .dropout_prob = 0};
}

// All batches of the golden as the program takes them.
struct Batches {
  explicit Batches(const Golden& golden)
      : batch(golden.integer("batch")),
        sequence(golden.integer("sequence_length")),
        input_ids(golden.values<std::int32_t>("batches/input_ids")),
        token_type_ids(golden.values<std::int32_t>("batches/token_type_ids")) {
    const auto attends = golden.values<std::int32_t>("batches/attention_mask");
    for (std::size_t i = 0; i < attends.size(); i += sequence) {
      lengths.push_back(std::accumulate(attends.begin() + i, attends.begin() + i + sequence, std::int64_t{0}));
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
    const std::vector<std::int32_t> segments = test::whole_rows(part(lengths, step, batch));
    target.write_batch("segments", 0, 0, std::span<const std::int32_t>(segments));
  }
  void write(Trainer& trainer, std::int64_t step) const {
    write_inputs(trainer, step);
    trainer.write_batch("labels", 0, 0, part(labels, step, 2 * batch));
    trainer.write_batch("label_weights", 0, 0, part(weights, step, 2 * batch));
  }

  std::int64_t batch, sequence;
  std::vector<std::int32_t> input_ids, token_type_ids, labels;
  std::vector<std::int64_t> lengths;
  std::vector<float> weights;
};

class TransformersParity : public ::testing::TestWithParam<const char*> {};

TEST_P(TransformersParity, LossGradientsAndTenStepsOfAdamW) {
  const Golden golden(std::string("bert_squad_") + GetParam());
  const Batches batches(golden);
  const ExecutionOptions execution;
  Machine machine(memory_store(), execution.replicas, execution.threads_per_replica);
  Trainer trainer(bert::training_stages(bert_config(golden), batches.batch), golden.optimizer(), execution,
                  static_cast<int>(batches.batch), machine);
  expect_training(golden, trainer, [&](std::int64_t step) { batches.write(trainer, step); });
}

TEST_P(TransformersParity, Logits) {
  const Golden golden(std::string("bert_squad_") + GetParam());
  const Batches batches(golden);
  Machine machine(memory_store(), 1, 1);
  Predictor predictor(bert::inference_stages(bert_config(golden), batches.batch), {}, machine);
  write_initial(golden, predictor.stages(), predictor.state());
  batches.write_inputs(predictor, 0);
  predictor.run();

  const std::int64_t tokens = batches.batch * batches.sequence;
  std::vector<float> logits(static_cast<std::size_t>(2 * tokens));  // starts, then ends
  predictor.read_result("logits", 0, 0, logits);
  const auto expected = golden.values<float>("logits");  // [batch, sequence, 2]
  std::vector<float> actual = expected;                  // at padding, which answers nothing
  for (std::int64_t i = 0; i < tokens; ++i) {
    if (i % batches.sequence >= batches.lengths[i / batches.sequence]) continue;
    actual[2 * i] = logits[i];
    actual[2 * i + 1] = logits[tokens + i];
  }
  expect_near(actual, expected, golden.tolerance("logits"), "logits");
}

INSTANTIATE_TEST_SUITE_P(Models, TransformersParity, ::testing::Values("a", "b"),
                         [](const auto& test) { return std::string("config_") + test.param; });

}  // namespace
}  // namespace phasor::test
