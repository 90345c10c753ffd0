#include "models/text/continuing.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "io/text/utf8.h"
#include "models/text/prompts.h"
#include "tests/io/byte_pair/byte_pair_files.h"
#include "tests/support/message.h"
#include "tests/support/random_decoder.h"
#include "tests/support/temporary_folder.h"

namespace phasor::text {
namespace {

using namespace phasor::test;
using generation::Ending, generation::GenerationOptions;

class HeardNotes : public io::Listener {
 public:
  void note(const std::string& text) override { notes.push_back(text); }
  std::vector<std::string> notes;
};

// A model of the small vocabulary of byte_pair_goldens.json, which has half of its tokens for bytes alone: what it says
// is no text, and rarely valid UTF-8.
class Continuing : public ::testing::Test {
 protected:
  Continuing() {
    vocab_ = write_to(folder_.file("tokenizer.json"), golden_tokenizer().dump());
    gpt2::Config model = kRandomDecoder;
    model.vocab_size = static_cast<std::int64_t>(golden_tokens().size());
    run::RunConfig config = random_decoder_run(folder_.path(), model);
    std::get<task_options::TextOptions>(config.data.task).vocab = vocab_;
    config.execution.micro_batch_size = 16;
    config_ = run::settle_defaults(config);
  }

  std::vector<ContinuedText> continue_all(const std::vector<std::string>& prompts, const GenerationOptions& options) {
    std::vector<ContinuedText> all;
    continue_texts(
        config_, options, prompts, [&](const ContinuedText& one) { all.push_back(one); }, notes_);
    return all;
  }
  std::string refusal(const std::vector<std::string>& prompts, const GenerationOptions& options = kGreedy) {
    return message_of([&] { continue_all(prompts, options); });
  }

  static constexpr GenerationOptions kGreedy{.tokens = 30},
      kDrawn{.tokens = 30, .sampling = {.temperature = 1, .seed = 8}};
  TemporaryFolder folder_{Medium::memory};
  std::string vocab_;
  run::ResolvedRun config_;
  HeardNotes notes_;
};

TEST_F(Continuing, TextIsWhatTokensStandFor) {
  const io::BytePairEncoding vocabulary = io::BytePairEncoding::load(vocab_);
  const std::vector<ContinuedText> found = continue_all({"the time", "", "\xff no"}, kDrawn);
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[0].prompt, "the time");
  EXPECT_EQ(found[1].prompt, "");
  EXPECT_EQ(found[2].prompt, "\uFFFD no");
  for (const ContinuedText& one : found) {
    EXPECT_EQ(one.text, io::replace_invalid_utf8(vocabulary.decode(one.tokens)));
    EXPECT_EQ(one.tokens.size() < 30, one.ending == Ending::end_of_text);
  }
  const nlohmann::ordered_json json = to_json(found[0]);
  EXPECT_EQ(nlohmann::json::parse(json.dump()),
            (nlohmann::json{{"prompt", "the time"},
                            {"text", found[0].text},
                            {"tokens", found[0].tokens},
                            {"ended_by", found[0].ending == Ending::tokens ? "tokens" : "end_of_text"}}));
}

// More prompts than go at once: each as if it were alone, and in their order.
TEST_F(Continuing, AListIsItsPromptsOneAtATime) {
  std::vector<std::string> prompts;
  for (int i = 0; i < 70; ++i) prompts.push_back(std::string(static_cast<std::size_t>(i * 7 % 23), 'a') + "b");
  for (GenerationOptions options : {kGreedy, kDrawn}) {
    options.tokens = 6;
    const std::vector<ContinuedText> together = continue_all(prompts, options);
    ASSERT_EQ(together.size(), prompts.size());
    TextContinuer continuer(config_, options, std::nullopt, notes_);
    for (std::size_t i = 0; i < prompts.size(); ++i) {
      const ContinuedText alone = continuer.go_on(prompts[i], [](std::string_view) {});
      EXPECT_EQ(together[i].prompt, prompts[i]);
      EXPECT_EQ(together[i].tokens, alone.tokens) << i;
      EXPECT_EQ(together[i].text, alone.text);
    }
  }
}

TEST_F(Continuing, TextComesInWholeCharacters) {
  TextContinuer continuer(config_, kDrawn, "the", notes_);
  std::vector<std::string> pieces;
  std::string text;
  const ContinuedText found = continuer.go_on("the", [&](std::string_view piece) {
    pieces.emplace_back(piece);
    text += piece;
  });
  EXPECT_EQ(text, found.text);
  EXPECT_GT(pieces.size(), 10U);
  for (const std::string& piece : pieces) EXPECT_EQ(io::find_invalid_utf8(piece), piece.size());
}

TEST_F(Continuing, AnEmptyPromptBeginsAText) {
  const io::BytePairEncoding vocabulary = io::BytePairEncoding::load(vocab_);
  EXPECT_EQ(encode_prompt(vocabulary, ""), std::vector<std::int32_t>{vocabulary.end_of_text()});
  EXPECT_EQ(encode_prompt(vocabulary, "<|endoftext|>"), std::vector<std::int32_t>{vocabulary.end_of_text()});
  EXPECT_EQ(continue_all({""}, kGreedy)[0].tokens, continue_all({"<|endoftext|>"}, kGreedy)[0].tokens);
}

TEST_F(Continuing, PromptsAreLines) {
  const auto read = [&](const std::string& content) { return read_prompts(write_to(folder_.file("p.txt"), content)); };
  EXPECT_EQ(read("a b\n\nc\r\nd"), (std::vector<std::string>{"a b", "", "c", "d"}));
  EXPECT_EQ(read("\n"), std::vector<std::string>{""});
  EXPECT_EQ(message_of([&] { read(""); }),
            fmt::format("prompts: '{}' is empty, expected a prompt a line", folder_.file("p.txt")));
  EXPECT_THAT(message_of([&] { read_prompts(folder_.file("none")); }), ::testing::HasSubstr("does not exist"));
}

TEST_F(Continuing, Mistakes) {
  EXPECT_EQ(
      refusal({"a", std::string(131, '!')}),
      "prompt 2 has 131 tokens, and up to 30 are to follow: model.max_positions 160 leaves the prompt 130 at most");
  EXPECT_EQ(
      refusal({std::string(160, '!')}, {.tokens = 0}),
      "prompt 1 has 160 tokens, and up to 1 are to follow: model.max_positions 160 leaves the prompt 159 at most");
  std::get<task_options::TextOptions>(config_.data.task).vocab.clear();
  EXPECT_THAT(refusal({"a"}), ::testing::HasSubstr("data.vocab is missing. Give it GPT-2's tokenizer"));
  config_.checkpoint.load.clear();
  EXPECT_THAT(refusal({"a"}), ::testing::HasSubstr("checkpoint.load is missing"));
}

TEST_F(Continuing, RowsThatWereShorterAreTold) {
  continue_all({"a"}, kGreedy);
  EXPECT_TRUE(notes_.notes.empty());
  std::get<gpt2::Config>(config_.model).sequence_length = 20;
  continue_all({"a"}, kGreedy);
  TextContinuer(config_, kGreedy, "a", notes_);
  TextContinuer(config_, {.tokens = 19}, "a", notes_);
  EXPECT_EQ(notes_.notes, std::vector<std::string>(
                              2,
                              "texts grow to 31 tokens, rows in training have model.sequence_length 20: what stands "
                              "behind may make less sense"));
}

}  // namespace
}  // namespace phasor::text
