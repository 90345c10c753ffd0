// The model computes what Transformers' GPT2LMHeadModel computes: loss, every gradient, that of the tied table, too,
// and the weights after ten steps of AdamW. The goldens are made by scripts/goldens/gpt2_goldens.py.
#include <algorithm>
#include <gtest/gtest.h>

#include "engine/train/predictor.h"
#include "engine/train/trainer.h"
#include "models/batches/row_segments.h"
#include "models/gpt2/generation.h"
#include "models/gpt2/stages.h"
#include "tests/support/golden.h"

namespace phasor::test::gpt2_parity {
namespace {

// The documents of a golden, so many of them in a row.
struct Documents {
  Documents(const Golden& golden, std::int64_t of_a_row)
      : count(golden.integer("batch")),
        sequence(golden.integer("sequence_length")),
        row_documents(of_a_row),
        ids(golden.values<std::int32_t>("batches/input_ids")),
        lengths(golden.values<std::int32_t>("batches/lengths")) {}

  std::int64_t rows() const { return count / row_documents; }
  std::int64_t row_tokens() const { return sequence * row_documents; }

  gpt2::Config model(const Golden& golden) const {
    return {.layers = static_cast<int>(golden.integer("layers")),
            .hidden_size = golden.integer("hidden_size"),
            .heads = golden.integer("heads"),
            .intermediate_size = golden.integer("intermediate_size"),
            .sequence_length = row_tokens(),
            .max_positions = 2 * sequence,
            .vocab_size = golden.integer("vocab_size"),
            .dropout_prob = 0};
  }

  // Documents follow each other in a row without a gap.
  struct Tensors {
    std::vector<std::int32_t> input_ids, segments, labels;
    std::vector<float> label_weights;
    std::vector<std::int64_t> first;  // token of each document, of all tokens
  };
  Tensors tensors(std::int64_t step) const {
    const auto tokens = static_cast<std::size_t>(rows() * row_tokens());
    Tensors t{std::vector<std::int32_t>(tokens), {}, std::vector<std::int32_t>(tokens), std::vector<float>(tokens), {}};
    std::int64_t labels = 0;
    for (std::int64_t d = 0; d < count; ++d) labels += length(step, d) - 1;
    for (std::int64_t d = 0; d < count; ++d) {
      const std::int64_t row = d / row_documents * row_tokens();
      const std::int64_t at = d % row_documents == 0 ? row : t.first.back() + length(step, d - 1);
      t.first.push_back(at);
      for (const std::int64_t number : {at - row, length(step, d), d}) {
        t.segments.push_back(static_cast<std::int32_t>(number));
      }
      for (std::int64_t i = 0; i < length(step, d); ++i) t.input_ids[at + i] = id(step, d, i);
      for (std::int64_t i = 0; i + 1 < length(step, d); ++i) {
        t.labels[at + i] = id(step, d, i + 1);
        t.label_weights[at + i] = 1 / static_cast<float>(labels);
      }
    }
    return t;
  }

  std::int64_t length(std::int64_t step, std::int64_t document) const { return lengths[step * count + document]; }
  std::int32_t id(std::int64_t step, std::int64_t document, std::int64_t i) const {
    return ids[(step * count + document) * sequence + i];
  }

  std::int64_t count, sequence, row_documents;
  std::vector<std::int32_t> ids, lengths;
};

template <class T>
std::span<const T> all_of(const std::vector<T>& values) {
  return values;
}

struct Case {
  const char* golden;
  std::int64_t of_a_row, slices;
  Mode mode;
};

class Gpt2Parity : public ::testing::TestWithParam<Case> {};

TEST_P(Gpt2Parity, LossGradientsAndTenStepsOfAdamW) {
  const auto& [name, of_a_row, slices, mode] = GetParam();
  const Golden golden(name);
  const Documents documents(golden, of_a_row);
  const ExecutionOptions execution{.mode = mode};
  Machine machine(memory_store(), 1, 1);
  Trainer trainer(gpt2::training_stages(documents.model(golden), {documents.rows(), of_a_row}, slices),
                  golden.optimizer(), execution, static_cast<int>(documents.rows()), machine);
  expect_training(golden, trainer, [&](std::int64_t step) {
    const Documents::Tensors tensors = documents.tensors(step);
    trainer.write_batch("input_ids", 0, 0, all_of(tensors.input_ids));
    trainer.write_batch("segments", 0, 0, all_of(tensors.segments));
    trainer.write_batch("labels", 0, 0, all_of(tensors.labels));
    trainer.write_batch("label_weights", 0, 0, all_of(tensors.label_weights));
  });
}

// Of each token's logits what is told of them: that of the next token, and all that it is compared with.
TEST_P(Gpt2Parity, SumsOfLogits) {
  const auto& [name, of_a_row, slices, mode] = GetParam();
  const Golden golden(name);
  const Documents documents(golden, of_a_row);
  Machine machine(memory_store(), 1, 1);
  Predictor predictor(gpt2::inference_stages(documents.model(golden), {documents.rows(), of_a_row}, slices), {},
                      machine);
  write_initial(golden, predictor.stages(), predictor.state());
  const Documents::Tensors tensors = documents.tensors(0);
  predictor.write_batch("input_ids", 0, 0, all_of(tensors.input_ids));
  predictor.write_batch("segments", 0, 0, all_of(tensors.segments));
  predictor.write_batch("labels", 0, 0, all_of(tensors.labels));
  predictor.write_batch("label_weights", 0, 0, all_of(tensors.label_weights));
  predictor.run();
  std::vector<float> sums(3 * tensors.input_ids.size());
  predictor.read_result("sums", 0, 0, sums);

  const auto logits = golden.values<float>("logits");
  const std::int64_t words = golden.integer("vocab_size");
  const double tolerance = golden.tolerance("logits");
  for (std::int64_t d = 0; d < documents.count; ++d) {
    for (std::int64_t i = 0; i + 1 < documents.length(0, d); ++i) {
      const auto row = part(logits, d * documents.sequence + i, words);
      const float highest = *std::ranges::max_element(row);
      double sum = 0;
      for (const float logit : row) sum += std::exp(double{logit} - highest);
      const auto actual = part(sums, tensors.first[d] + i, 3);
      EXPECT_NEAR(actual[0], highest, tolerance);
      EXPECT_NEAR(actual[0] + std::log(actual[1]), highest + std::log(sum), 2 * tolerance);
      EXPECT_NEAR(actual[2], row[documents.id(0, d, i + 1)], tolerance);
    }
  }
}

// The logits of tokens that come three at a time, then one by one.
TEST_P(Gpt2Parity, LogitsOfSequencesThatGoOn) {
  const auto& [name, of_a_row, slices, mode] = GetParam();
  const Golden golden(name);
  const Documents documents(golden, 1);
  Machine machine(memory_store(), 1, 1);
  const gpt2::Config model = documents.model(golden);
  const auto stages = [&, slices = slices](std::int64_t tokens) {
    return gpt2::generation_stages(model, {documents.count, tokens, documents.sequence}, slices);
  };
  Predictor threes(stages(3), {}, machine, "threes"), ones(stages(1), {.mode = mode}, machine, "ones");
  write_initial(golden, ones.stages(), ones.state());

  const auto logits = golden.values<float>("logits");
  const std::int64_t words = golden.integer("vocab_size");
  const auto go_on = [&](Predictor& predictor, std::int64_t first, std::int64_t count) {
    std::vector<std::int32_t> ids, places, last;
    for (std::int64_t d = 0; d < documents.count; ++d) {
      const std::int64_t known = std::clamp<std::int64_t>(documents.length(0, d) - first, 0, count);
      for (std::int64_t i = first; i < first + count; ++i) {
        ids.push_back(i < first + known ? documents.id(0, d, i) : 0);
        places.push_back(static_cast<std::int32_t>(i < first + known ? i : 0));
      }
      last.push_back(static_cast<std::int32_t>(known - 1));
    }
    predictor.write_batch("input_ids", 0, 0, all_of(ids));
    predictor.write_batch("places", 0, 0, all_of(places));
    predictor.write_batch("last", 0, 0, all_of(last));
    predictor.run();
    std::vector<float> actual(documents.count * words);
    predictor.read_result("logits", 0, 0, actual);
    for (std::int64_t d = 0; d < documents.count; ++d) {
      if (last[d] < 0) continue;
      const auto expected = part(logits, d * documents.sequence + first + last[d], words);
      for (std::int64_t j = 0; j < words; ++j)
        ASSERT_NEAR(actual[d * words + j], expected[j], golden.tolerance("logits")) << "document " << d << ", " << j;
    }
  };
  std::int64_t token = 0;
  for (; token < 6; token += 3) go_on(threes, token, 3);
  ones.begin();
  for (; token < documents.sequence; ++token) go_on(ones, token, 1);
}

INSTANTIATE_TEST_SUITE_P(Models, Gpt2Parity,
                         ::testing::Values(Case{"gpt2_a", 1, 1, Mode::phased}, Case{"gpt2_a", 1, 1, Mode::monolithic},
                                           Case{"gpt2_a", 2, 1, Mode::phased}, Case{"gpt2_b", 1, 3, Mode::phased},
                                           Case{"gpt2_b", 2, 2, Mode::phased}, Case{"gpt2_b", 2, 1, Mode::phased}));

}  // namespace
}  // namespace phasor::test::gpt2_parity
