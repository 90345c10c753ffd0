#include "models/generation/generator.h"

#include <algorithm>
#include <gmock/gmock.h>
#include <numeric>
#include <set>

#include "models/checkpoint/checkpoint.h"
#include "models/gpt2/generation.h"
#include "tests/support/message.h"
#include "tests/support/pairwise.h"
#include "tests/support/random_decoder.h"
#include "tests/support/temporary_folder.h"

namespace phasor::generation {
namespace {

using phasor::test::kRandomDecoder, phasor::test::message_of;
using Tokens = std::vector<std::int32_t>;

Tokens prompt_of(std::size_t length, std::int32_t first) {
  Tokens tokens(length);
  for (std::size_t i = 0; i < length; ++i) tokens[i] = static_cast<std::int32_t>((first + i * i * 37) % 1700);
  return tokens;
}

// One token alone, some, as many as are read at once, and parts of that.
const std::vector<Tokens>& prompts() {
  static const std::vector<Tokens> all = {prompt_of(5, 3),  prompt_of(1, 99),  prompt_of(130, 7), prompt_of(64, 1),
                                          prompt_of(65, 0), prompt_of(17, 42), prompt_of(2, 800)};
  return all;
}

constexpr SamplingOptions kGreedy{}, kDrawn{.temperature = 1.5, .top_k = 50, .top_p = 0.9, .seed = 4};

class GeneratorTest : public ::testing::Test {
 protected:
  GenerationOptions options(const SamplingOptions& sampling = kGreedy, std::int64_t tokens = 24) const {
    return {.tokens = tokens, .sampling = sampling};
  }
  // Of all prompts at once, or in several batches where there are too many rows for one.
  std::vector<Continuation> go_on(const std::vector<Tokens>& all, const GenerationOptions& wanted,
                                  const TokenFacts& facts = kFacts) {
    std::int64_t longest = 1;
    for (const Tokens& prompt : all) longest = std::max<std::int64_t>(longest, std::ssize(prompt));
    Generator generator(run::settle_defaults(config_), wanted, facts, {.count = std::ssize(all), .longest = longest},
                        io::silent());
    return generator.run(all, 0, [&](std::int64_t prompt, std::int32_t token) { taken_.emplace_back(prompt, token); });
  }
  std::vector<Tokens> tokens_of(const std::vector<Tokens>& all, const GenerationOptions& wanted) {
    std::vector<Tokens> tokens;
    for (Continuation& continuation : go_on(all, wanted)) tokens.push_back(std::move(continuation.tokens));
    return tokens;
  }

  static constexpr TokenFacts kFacts{.count = kRandomDecoder.vocab_size};
  phasor::test::TemporaryFolder folder_{phasor::test::Medium::memory};
  run::RunConfig config_ = phasor::test::random_decoder_run(folder_.path());
  std::vector<std::pair<std::int64_t, std::int32_t>> taken_;
};

// What follows where every token is chosen from the logits of a run over the whole text so far.
Tokens without_memory(const run::RunConfig& config, Tokens text, std::int64_t number,
                      const GenerationOptions& options) {
  const std::int64_t room = kRandomDecoder.max_positions;
  Machine machine(memory_store(), 1, 1);
  Predictor predictor(gpt2::generation_stages(kRandomDecoder, {.rows = 1, .tokens = room, .room = room}),
                      {.precision = config.precision}, machine);
  run::load_weights(config.checkpoint.load, predictor.stages(), predictor.state());
  Sampler sampler(options.sampling);
  Tokens added, places(static_cast<std::size_t>(room));
  std::iota(places.begin(), places.end(), 0);
  while (std::ssize(added) < options.tokens) {
    Tokens ids = text;
    ids.resize(static_cast<std::size_t>(room));
    const std::int32_t last = static_cast<std::int32_t>(text.size()) - 1;
    predictor.write_batch("input_ids", 0, 0, std::span<const std::int32_t>(ids));
    predictor.write_batch("places", 0, 0, std::span<const std::int32_t>(places));
    predictor.write_batch("last", 0, 0, std::span(&last, 1));
    predictor.run();
    std::vector<float> logits(static_cast<std::size_t>(kRandomDecoder.vocab_size));
    predictor.read_result("logits", 0, 0, logits);
    added.push_back(sampler.choose(logits, number, std::ssize(added)));
    text.push_back(added.back());
  }
  return added;
}

TEST_F(GeneratorTest, EveryTokenIsThatOfARunOverTheWholeText) {
  for (const SamplingOptions& sampling : {kGreedy, kDrawn}) {
    const std::vector<Tokens> found = tokens_of(prompts(), options(sampling));
    std::set<std::int32_t> different;
    for (std::size_t i = 0; i < prompts().size(); ++i) {
      EXPECT_EQ(found[i], without_memory(config_, prompts()[i], static_cast<std::int64_t>(i), options(sampling))) << i;
      different.insert(found[i].begin(), found[i].end());
    }
    EXPECT_GT(different.size(), 30U);  // the model has something to say
  }
}

TEST_F(GeneratorTest, DevicesDoNotShow) {
  const std::vector<Tokens> expected = tokens_of(prompts(), options(kDrawn));
  config_.execution.pipeline.devices = 3;
  for (const Mode mode : {Mode::phased, Mode::monolithic}) {
    config_.execution.mode = mode;
    EXPECT_EQ(tokens_of(prompts(), options(kDrawn)), expected);
  }
}

struct HeardNotes : io::Listener {
  void note(const std::string& text) override { notes.push_back(text); }
  std::vector<std::string> notes;
};

// The programs for prompts and for tokens share the device, and what they are planned to take is what they take: a byte
// less leads to smaller micro-batches.
TEST_F(GeneratorTest, FitsIntoTheDevice) {
  config_.training.global_batch_size = 12;  // which nothing here follows from
  config_.execution.micro_batch_size = 3;
  config_.execution.embedding_serialization_factor = 1;
  for (const Mode mode : {Mode::phased, Mode::monolithic}) {
    config_.execution.mode = mode;
    const auto measured = [&](std::int64_t budget, HeardNotes& heard) {
      config_.execution.device_memory.bytes = budget;
      GenerationModel model(run::settle_defaults(config_), {.sequences = 3, .prompt = 70, .room = 80}, heard);
      model.start(3);
      const Tokens tokens = prompt_of(64, 1);
      for (const std::size_t count : {64, 1}) {
        model.read(std::vector<NewTokens>{{.sequence = 0, .tokens = std::span(tokens).first(count)}},
                   [](std::size_t, std::span<const float>) {});
      }
      return model.measured_peak_bytes();
    };
    HeardNotes nothing, little;
    const std::int64_t all = measured(0, nothing);
    EXPECT_EQ(measured(all, nothing), all);
    EXPECT_TRUE(nothing.notes.empty());
    EXPECT_LT(measured(all - 1, little), all);
    EXPECT_THAT(little.notes, ::testing::ElementsAre(::testing::HasSubstr("micro-batches of")));
    EXPECT_THAT(
        message_of([&] { measured(1, nothing); }),
        ::testing::AllOf(::testing::HasSubstr("a pass of the trained model takes"), ::testing::HasSubstr("' and '")));
  }
}

// mode, replicas, slices, rows of a micro-batch, together or alone, drawn or not
using Case = std::tuple<Mode, int, int, int, bool, bool>;

class GenerationWays : public GeneratorTest, public ::testing::WithParamInterface<std::tuple<Precision, Case>> {};

std::string name_of_case(const ::testing::TestParamInfo<std::tuple<Precision, Case>>& info) {
  const auto& [precision, way] = info.param;
  const auto& [mode, replicas, slices, rows, together, drawn] = way;
  return fmt::format("{}_{}_replicas_{}_slices_{}_rows_{}_{}_{}",
                     precision == Precision::bfloat16 ? "bfloat16" : "float32",
                     mode == Mode::phased ? "phased" : "monolithic", replicas, slices, rows,
                     together ? "together" : "alone", drawn ? "drawn" : "greedy");
}

TEST_P(GenerationWays, GiveTheSameTokens) {
  const auto& [precision, way] = GetParam();
  const auto& [mode, replicas, slices, rows, together, drawn] = way;
  const GenerationOptions wanted = options(drawn ? kDrawn : kGreedy);
  config_.precision = precision;
  config_.execution.micro_batch_size = 1;
  const std::vector<Tokens> expected = tokens_of(prompts(), wanted);
  config_.execution.mode = mode;
  config_.execution.data_parallel = replicas;
  config_.execution.embedding_serialization_factor = slices;
  config_.execution.micro_batch_size = rows;
  config_.training.global_batch_size = 12;  // which nothing here follows from
  if (together) {
    EXPECT_EQ(tokens_of(prompts(), wanted), expected);
    return;
  }
  for (std::size_t i = 0; i < prompts().size(); i += 2) {
    Generator generator(run::settle_defaults(config_), wanted, kFacts, {.longest = 130}, io::silent());
    const auto alone = generator.run(std::span(prompts()).subspan(i, 1), static_cast<std::int64_t>(i),
                                     [](std::int64_t, std::int32_t) {});
    EXPECT_EQ(alone.front().tokens, expected[i]) << i;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Pairs, GenerationWays,
    ::testing::Combine(::testing::Values(Precision::float32, Precision::bfloat16),
                       ::testing::ValuesIn(phasor::test::pairwise<Mode, int, int, int, bool, bool>(
                           {Mode::phased, Mode::monolithic}, {1, 2}, {1, 4}, {1, 2, 3}, {true, false}, {false, true}))),
    name_of_case);

TEST_F(GeneratorTest, AnotherBatchOnTheSameModel) {
  const std::vector<Tokens> expected = tokens_of(prompts(), options(kDrawn));
  for (const Mode mode : {Mode::phased, Mode::monolithic}) {
    config_.execution.mode = mode;
    Generator generator(run::settle_defaults(config_), options(kDrawn), kFacts, {.count = 3, .longest = 130},
                        io::silent());
    const auto run = [&](std::size_t first, std::size_t count) {
      return generator.run(std::span(prompts()).subspan(first, count), static_cast<std::int64_t>(first),
                           [](std::int64_t, std::int32_t) {});
    };
    EXPECT_EQ(generator.prompts_at_a_time(), 3);
    run(2, 3);  // leaves keys behind
    const auto fewer = run(5, 2), single = run(1, 1), again = run(0, 3);
    EXPECT_EQ(fewer[0].tokens, expected[5]);
    EXPECT_EQ(fewer[1].tokens, expected[6]);
    EXPECT_EQ(single[0].tokens, expected[1]);
    for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(again[i].tokens, expected[i]);
  }
}

TEST_F(GeneratorTest, TokensAreHandedOverAsTheyCome) {
  const std::vector<Continuation> found = go_on({prompts()[0], prompts()[5]}, options());
  ASSERT_EQ(taken_.size(), 48U);
  for (std::size_t i = 0; i < taken_.size(); ++i) {
    EXPECT_EQ(taken_[i].first, static_cast<std::int64_t>(i % 2));
    EXPECT_EQ(taken_[i].second, found[i % 2].tokens[i / 2]);
  }
}

TEST_F(GeneratorTest, EndsOfTextEndOneSequence) {
  const std::vector<Continuation> all = go_on({prompts()[0], prompts()[5], prompts()[6]}, options());
  const Tokens& first = all[0].tokens;
  const std::int32_t end = first[7];
  const std::vector<Continuation> ended = go_on({prompts()[0], prompts()[5], prompts()[6]}, options(),
                                                {.count = kRandomDecoder.vocab_size, .end_of_text = end});
  for (std::size_t i = 0; i < 3; ++i) {
    const auto at = std::ranges::find(all[i].tokens, end);
    EXPECT_EQ(ended[i].tokens, Tokens(all[i].tokens.begin(), at)) << i;
    EXPECT_EQ(ended[i].ending, at == all[i].tokens.end() ? Ending::tokens : Ending::end_of_text) << i;
  }
  EXPECT_EQ(ended[0].ending, Ending::end_of_text);
  EXPECT_LE(ended[0].tokens.size(), 7U);
  // As the first token.
  const std::vector<Continuation> nothing =
      go_on({prompts()[0]}, options(), {.count = kRandomDecoder.vocab_size, .end_of_text = first[0]});
  EXPECT_TRUE(nothing[0].tokens.empty());
  EXPECT_EQ(nothing[0].ending, Ending::end_of_text);
}

TEST_F(GeneratorTest, PositionsEnd) {
  const std::vector<Continuation> found = go_on(prompts(), options(kGreedy, 0));
  const std::vector<Continuation> some = go_on(prompts(), options(kGreedy, 24));
  for (std::size_t i = 0; i < prompts().size(); ++i) {
    EXPECT_EQ(std::ssize(prompts()[i]) + std::ssize(found[i].tokens), kRandomDecoder.max_positions);
    EXPECT_EQ(found[i].ending, Ending::positions);
    EXPECT_EQ(some[i].ending, Ending::tokens);
    EXPECT_EQ(some[i].tokens, Tokens(found[i].tokens.begin(), found[i].tokens.begin() + 24));
  }
  // The longest prompt that there is room for, and one token behind it.
  EXPECT_EQ(most_prompt_tokens(kRandomDecoder, options(kGreedy, 0)), 159);
  EXPECT_EQ(go_on({prompt_of(159, 1)}, options(kGreedy, 0))[0].tokens.size(), 1U);
  EXPECT_EQ(go_on({prompt_of(159, 1)}, options(kGreedy, 1))[0].ending, Ending::tokens);
  EXPECT_EQ(most_prompt_tokens(kRandomDecoder, options(kGreedy, 60)), 100);
  EXPECT_EQ(go_on({prompt_of(100, 1)}, options(kGreedy, 60))[0].tokens.size(), 60U);
}

TEST_F(GeneratorTest, TokensThatNobodyKnowsAreNotChosen) {
  constexpr std::int64_t kKnown = 1000;
  bool beyond = false;
  for (const Continuation& continuation : go_on(prompts(), options())) {
    beyond |= std::ranges::any_of(continuation.tokens, [](std::int32_t id) { return id >= kKnown; });
  }
  EXPECT_TRUE(beyond);
  for (const SamplingOptions& sampling : {kGreedy, kDrawn}) {
    for (const Continuation& continuation : go_on(prompts(), options(sampling), {.count = kKnown})) {
      EXPECT_TRUE(std::ranges::all_of(continuation.tokens, [](std::int32_t id) { return id < kKnown; }));
    }
  }
}

TEST_F(GeneratorTest, LogitsThatAreNoNumbers) {
  const auto change = [](const Stages& stages, ModelState& state) {
    for (const CanonicalTensor& tensor : canonical_tensors(stages)) {
      if (tensor.name != "transformer.ln_f.weight") continue;
      state.write(StateKind::weight, tensor, std::vector<float>(24, 3e38f));
    }
  };
  config_ = phasor::test::random_decoder_run(folder_.path(), kRandomDecoder, change);
  EXPECT_THAT(message_of([&] { go_on(prompts(), options()); }),
              ::testing::MatchesRegex("model: one of its logits is .*, expected finite numbers: its weights are too "
                                      "large for float32"));
}

TEST(GenerationOptionsTest, AreRead) {
  const GenerationOptions all =
      read_options({{"tokens", "7"}, {"temperature", "0.5"}, {"top-k", "40"}, {"top-p", "0.9"}}, kRandomDecoder, 3);
  EXPECT_EQ(all.tokens, 7);
  EXPECT_EQ(all.sampling.temperature, 0.5);
  EXPECT_EQ(all.sampling.top_k, 40);
  EXPECT_EQ(all.sampling.top_p, 0.9);
  EXPECT_EQ(all.sampling.seed, 3);
  const GenerationOptions none = read_options({}, gpt2::Config{}, 0);
  EXPECT_EQ(none.tokens, 128);
  EXPECT_EQ(none.sampling.temperature, 0);
  EXPECT_EQ(read_options({}, kRandomDecoder, 0).tokens, 80);  // half of the positions
  const auto refusal = [](const char* name, const char* value) {
    return message_of([&] { read_options({{name, value}}, kRandomDecoder, 0); });
  };
  EXPECT_EQ(refusal("tokens", "many"), "--tokens 'many' is not a whole number");
  EXPECT_EQ(refusal("tokens", "-1"), "--tokens -1 is less than 0, which asks for as many as there are positions for");
  EXPECT_EQ(refusal("tokens", "160"), "--tokens 160 leaves no position for a prompt: model.max_positions is 160");
  EXPECT_EQ(refusal("tokens", "159"), "no error");
  EXPECT_EQ(refusal("temperature", "warm"), "--temperature 'warm' is not a number");
  EXPECT_EQ(refusal("top-p", "2"), "--top-p 2 is outside 0 .. 1: it is a part of the probability");
}

}  // namespace
}  // namespace phasor::generation
