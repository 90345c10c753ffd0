#include "models/text/continuing.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "engine/base/error.h"
#include "io/byte_pair/text_stream.h"
#include "io/text/utf8.h"
#include "models/run/first_weights.h"
#include "models/run/machine.h"
#include "models/run/trained_model.h"
#include "models/text/prompts.h"

namespace phasor::text {

namespace {

using Tokens = std::vector<std::int32_t>;

// What needs no weights is checked before they are read.
io::BytePairEncoding vocabulary_of(const run::ResolvedRun& config) {
  run::check_trained_model(config);
  run::check_first_weights(config);
  std::optional<io::BytePairEncoding> vocabulary = load_vocabulary(config);
  check(
      vocabulary.has_value(),
      "data.vocab is missing. Give it GPT-2's tokenizer: a tokenizer.json, or a folder with vocab.json and merges.txt");
  return std::move(*vocabulary);
}

generation::TokenFacts facts_of(const io::BytePairEncoding& vocabulary) {
  return {.count = vocabulary.vocab_size(), .end_of_text = vocabulary.end_of_text()};
}

// `number` counts from 1.
Tokens encode(const run::ResolvedRun& config, const generation::GenerationOptions& options,
              const io::BytePairEncoding& vocabulary, const std::string& prompt, std::int64_t number) {
  Tokens tokens = encode_prompt(vocabulary, prompt);
  const std::int64_t most = generation::most_prompt_tokens(model_of(config), options);
  check(std::ssize(tokens) <= most,
        "prompt {} has {} tokens, and up to {} are to follow: model.max_positions {} leaves the prompt {} at most",
        number, tokens.size(), options.least_tokens(), model_of(config).max_positions, most);
  return tokens;
}

// A run that trains short rows leaves the positions behind them as they were.
void tell_long_rows(const run::ResolvedRun& config, const generation::GenerationOptions& options, std::int64_t prompt,
                    io::Listener& listener) {
  const std::int64_t trained = model_of(config).sequence_length;
  const std::int64_t tokens = options.tokens > 0 ? prompt + options.tokens : model_of(config).max_positions;
  if (tokens <= trained) return;
  listener.note(fmt::format(
      "texts grow to {} tokens, rows in training have model.sequence_length {}: what stands behind may make less sense",
      tokens, trained));
}

ContinuedText to_text(const io::BytePairEncoding& vocabulary, const std::string& prompt,
                      generation::Continuation continuation) {
  return {.prompt = io::replace_invalid_utf8(prompt),
          .text = io::replace_invalid_utf8(vocabulary.decode(continuation.tokens)),
          .tokens = std::move(continuation.tokens),
          .ending = continuation.ending};
}

}  // namespace

nlohmann::ordered_json to_json(const ContinuedText& continued) {
  return {{"prompt", continued.prompt},
          {"text", continued.text},
          {"tokens", continued.tokens},
          {"ended_by", generation::to_string(continued.ending)}};
}

void continue_texts(const run::ResolvedRun& config, const generation::GenerationOptions& options,
                    std::span<const std::string> prompts, const std::function<void(const ContinuedText&)>& take,
                    io::Listener& listener) {
  const io::BytePairEncoding vocabulary = vocabulary_of(config);
  std::vector<Tokens> encoded;
  generation::PromptSizes sizes{.count = std::ssize(prompts)};
  for (const std::string& prompt : prompts) {
    encoded.push_back(encode(config, options, vocabulary, prompt, std::ssize(encoded) + 1));
    sizes.longest = std::max<std::int64_t>(sizes.longest, std::ssize(encoded.back()));
  }
  tell_long_rows(config, options, sizes.longest, listener);
  generation::Generator generator(config, options, facts_of(vocabulary), sizes, listener);
  const auto progress = listener.progress("continuing", std::ssize(prompts), "prompts");
  std::int64_t tokens = 0;
  const auto count = [&](std::int64_t, std::int32_t) { progress->set_text(fmt::format("{} tokens", ++tokens)); };
  for (std::size_t first = 0; first < encoded.size();) {
    const auto batch = std::span(encoded).subspan(
        first, std::min(static_cast<std::size_t>(generator.prompts_at_a_time()), encoded.size() - first));
    for (generation::Continuation& continuation : generator.run(batch, static_cast<std::int64_t>(first), count)) {
      take(to_text(vocabulary, prompts[first++], std::move(continuation)));
      progress->advance();
    }
  }
}

TextContinuer::TextContinuer(const run::ResolvedRun& config, const generation::GenerationOptions& options,
                             const std::optional<std::string>& only, io::Listener& listener)
    : config_(run::one_at_a_time(config)),
      options_(options),
      vocabulary_(vocabulary_of(config)),
      generator_(config_, options, facts_of(vocabulary_), sizes_for(only), listener) {
  tell_long_rows(config, options, only ? sizes_for(only).longest : 1, listener);
}

generation::PromptSizes TextContinuer::sizes_for(const std::optional<std::string>& only) const {
  if (!only) return {.longest = generation::most_prompt_tokens(model_of(config_), options_)};
  return {.longest = std::ssize(encode(config_, options_, vocabulary_, *only, 1))};
}

ContinuedText TextContinuer::go_on(const std::string& prompt, const std::function<void(std::string_view)>& take) {
  const std::int64_t number = prompts_++;
  const Tokens tokens = encode(config_, options_, vocabulary_, prompt, number + 1);
  io::TextStream stream(vocabulary_);
  const auto take_bytes = [&](const std::string& bytes) {
    if (!bytes.empty()) take(io::replace_invalid_utf8(bytes));
  };
  std::vector<generation::Continuation> continuations = generator_.run(
      std::span(&tokens, 1), number, [&](std::int64_t, std::int32_t token) { take_bytes(stream.add(token)); });
  take_bytes(stream.finish());
  return to_text(vocabulary_, prompt, std::move(continuations.front()));
}

}  // namespace phasor::text
