// GPT-2 that goes on with sequences has the same logits phased and monolithic, to the bit, in however many slices its
// table is, and whatever the other sequences of a batch are.
#include "models/gpt2/generation.h"

#include <gtest/gtest.h>
#include <memory>
#include <optional>

#include "engine/train/predictor.h"

namespace phasor::test::generation {
namespace {

constexpr gpt2::Config kModel{.layers = 2,
                              .hidden_size = 24,
                              .heads = 3,
                              .intermediate_size = 40,
                              .sequence_length = 16,
                              .max_positions = 16,
                              .vocab_size = 1700};  // four blocks of the head's, the last not whole
constexpr std::int64_t kRows = 2, kRoom = 14;

using Logits = std::vector<float>;

// Programs that take up to `tokens` new tokens and one, as generating text wants them.
class Model {
 public:
  Model(const ExecutionOptions& execution, std::int64_t slices, std::int64_t tokens)
      : machine_(memory_store(), execution.replicas, 1, execution.pipeline.devices), execution_(execution) {
    ExecutionOptions of_prompts = execution;
    of_prompts.mode = Mode::phased;
    prompts_.emplace(gpt2::generation_stages(kModel, {kRows, tokens, kRoom}, slices), of_prompts, machine_, "prompts");
    tokens_.emplace(gpt2::generation_stages(kModel, {kRows, 1, kRoom}, slices), execution, machine_, "tokens");
    tokens_->state().initialise(3);
  }

  // Goes on with sequences, a row each of all micro-batches of all replicas, by their new tokens at these places; one
  // without any stays as it is. Returns the logits of those that follow.
  std::vector<Logits> prompt(const std::vector<std::vector<std::int32_t>>& tokens, std::int32_t first,
                             std::int64_t most) {
    return run(*prompts_, tokens, first, most);
  }
  std::vector<Logits> next(const std::vector<std::int32_t>& tokens, std::int32_t place) {
    std::vector<std::vector<std::int32_t>> rows;
    for (const std::int32_t token : tokens) rows.push_back({token});
    return run(*tokens_, rows, place, 1);
  }
  void begin() { tokens_->begin(); }
  void end() { tokens_->end(); }
  const Predictor& predictor() const { return *tokens_; }

 private:
  std::vector<Logits> run(Predictor& predictor, const std::vector<std::vector<std::int32_t>>& tokens,
                          std::int32_t first, std::int64_t most) {
    for_micro_batches([&](int replica, int m, std::size_t row) {
      std::vector<std::int32_t> ids, places, last;
      for (std::size_t r = row; r < row + kRows; ++r) {
        for (std::int32_t t = 0; t < most; ++t) {
          const bool is_new = t < std::ssize(tokens[r]);
          ids.push_back(is_new ? tokens[r][t] : 7);
          places.push_back(is_new ? first + t : 0);
        }
        last.push_back(static_cast<std::int32_t>(tokens[r].size()) - 1);
      }
      predictor.write_batch("input_ids", replica, m, std::span<const std::int32_t>(ids));
      predictor.write_batch("places", replica, m, std::span<const std::int32_t>(places));
      predictor.write_batch("last", replica, m, std::span<const std::int32_t>(last));
    });
    predictor.run();
    std::vector<Logits> logits;
    for_micro_batches([&](int replica, int m, std::size_t) {
      Logits all(kRows * kModel.vocab_size);
      predictor.read_result("logits", replica, m, all);
      for (std::int64_t r = 0; r < kRows; ++r)
        logits.emplace_back(all.begin() + r * kModel.vocab_size, all.begin() + (r + 1) * kModel.vocab_size);
    });
    return logits;
  }

  template <class Use>
  void for_micro_batches(Use use) {
    std::size_t row = 0;
    for (int replica = 0; replica < execution_.replicas; ++replica)
      for (int m = 0; m < execution_.accumulation; ++m, row += kRows) use(replica, m, row);
  }

  Machine machine_;
  ExecutionOptions execution_;
  std::optional<Predictor> prompts_, tokens_;
};

std::vector<std::int32_t> drawn(std::int32_t sequence, std::int32_t count) {
  std::vector<std::int32_t> tokens;
  for (std::int32_t t = 0; t < count; ++t) tokens.push_back((sequence * 131 + t * 37 + 11) % 1700);
  return tokens;
}

// Of each sequence: the logits after a prompt of its first tokens, five at most, and after each that follows, one by
// one.
std::vector<std::vector<Logits>> generated(Model& model, std::int32_t sequences, std::int32_t first_sequence = 0) {
  std::vector<std::vector<std::int32_t>> prompts;
  for (std::int32_t s = 0; s < sequences; ++s) prompts.push_back(drawn(first_sequence + s, 5));
  std::vector<std::vector<Logits>> logits;
  for (Logits& of_prompt : model.prompt(prompts, 0, 6)) logits.push_back({std::move(of_prompt)});
  model.begin();
  for (std::int32_t place = 5; place < kRoom; ++place) {
    std::vector<std::int32_t> next;
    for (std::int32_t s = 0; s < sequences; ++s) next.push_back(drawn(first_sequence + s, place + 1).back());
    std::size_t s = 0;
    for (Logits& of_token : model.next(next, place)) logits[s++].push_back(std::move(of_token));
  }
  model.end();
  return logits;
}

// precision, slices, replicas, accumulation
using Case = std::tuple<Precision, int, int, int>;

class GenerationPhasedEqualsMonolithic : public ::testing::TestWithParam<Case> {};

TEST_P(GenerationPhasedEqualsMonolithic, EveryLogit) {
  const auto& [precision, slices, replicas, accumulation] = GetParam();
  const ExecutionOptions execution{
      .replicas = replicas, .accumulation = accumulation, .rts_threshold = 1000, .precision = precision};
  ExecutionOptions resident = execution;
  resident.mode = Mode::monolithic;
  Model phased(execution, slices, 6), monolithic(resident, 1, 6);
  const int sequences = static_cast<int>(kRows) * replicas * accumulation;
  const auto one = generated(phased, sequences), other = generated(monolithic, sequences);
  ASSERT_EQ(one.size(), static_cast<std::size_t>(sequences));
  EXPECT_EQ(one, other);
  EXPECT_NE(one[0][1], one[1][1]);
  EXPECT_NE(one[0][1], one[0][2]);
  EXPECT_EQ(phased.predictor().runner().high_water_bytes(), phased.predictor().runner().plan().peak_bytes);
  EXPECT_EQ(monolithic.predictor().runner().high_water_bytes(), monolithic.predictor().runner().plan().peak_bytes);
}

INSTANTIATE_TEST_SUITE_P(Pairs, GenerationPhasedEqualsMonolithic,
                         ::testing::Values(Case{Precision::float32, 1, 1, 1}, Case{Precision::float32, 4, 1, 2},
                                           Case{Precision::float32, 2, 2, 1}, Case{Precision::bfloat16, 1, 2, 2},
                                           Case{Precision::bfloat16, 4, 1, 1}));

// Each device carries what its layers remember.
TEST(Generation, DevicesDoNotShow) {
  Model alone({.accumulation = 2}, 1, 6);
  const auto expected = generated(alone, 4);
  for (const Mode mode : {Mode::phased, Mode::monolithic}) {
    for (const int devices : {2, 3}) {
      Model shared({.mode = mode, .accumulation = 2, .pipeline = {.devices = devices}},
                   mode == Mode::phased ? devices - 1 : 1, 6);
      EXPECT_EQ(generated(shared, 4), expected) << devices << " devices";
      const Runner& runner = shared.predictor().runner();
      for (int device = 0; device < devices; ++device) {
        EXPECT_EQ(runner.high_water_bytes(device), runner.plan(device).peak_bytes) << device << " of " << devices;
      }
    }
  }
}

// A sequence does not know in which row of which micro-batch it stands, nor of the others.
TEST(Generation, SequencesDoNotSeeEachOther) {
  Model two({.accumulation = 2}, 1, 6), one({}, 1, 6);
  const auto all = generated(two, 4);
  EXPECT_EQ(std::vector(all.begin() + 2, all.end()), generated(one, 2, 2));
}

// What was carried is not begun again, and goes on behind any number of runs of the other program.
TEST(Generation, GoesOnWithPromptsInParts) {
  Model whole({}, 1, 6), parts({}, 1, 6);
  const auto tokens = drawn(0, 6), others = drawn(1, 6);
  const auto at_once = whole.prompt({tokens, others}, 0, 6);
  parts.prompt({{tokens[0], tokens[1]}, {others[0], others[1]}}, 0, 6);
  const std::vector<std::int32_t> first(tokens.begin() + 2, tokens.end()), second(others.begin() + 2, others.end());
  parts.prompt({first, {}}, 2, 6);
  EXPECT_EQ(parts.prompt({{}, second}, 2, 6)[1], at_once[1]);
  EXPECT_EQ(parts.prompt({{tokens[5]}, {}}, 5, 6)[0], at_once[0]);
}

}  // namespace
}  // namespace phasor::test::generation
