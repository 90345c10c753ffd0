#include "models/generation/generator.h"

#include <algorithm>

#include "engine/base/error.h"

namespace phasor::generation {

namespace {

GenerationSizes sizes_of(const gpt2::Config& model, const GenerationOptions& options, const PromptSizes& prompts) {
  const std::int64_t room = options.tokens > 0 ? prompts.longest + options.tokens : model.max_positions;
  ensure(prompts.longest >= 1 && room <= model.max_positions,
         "generation: prompts of {} tokens and {} new ones, but {} positions", prompts.longest, options.tokens,
         model.max_positions);
  return {.sequences = prompts.count, .prompt = prompts.longest, .room = room};
}

const gpt2::Config& model_of(const run::ResolvedRun& config) { return std::get<gpt2::Config>(config.model); }

}  // namespace

std::string_view to_string(Ending ending) {
  switch (ending) {
    case Ending::end_of_text:
      return "end_of_text";
    case Ending::tokens:
      return "tokens";
    case Ending::positions:
      return "positions";
  }
  return "";
}

std::int64_t most_prompt_tokens(const gpt2::Config& model, const GenerationOptions& options) {
  return model.max_positions - options.least_tokens();
}

Generator::Generator(const run::ResolvedRun& config, const GenerationOptions& options, const TokenFacts& facts,
                     const PromptSizes& prompts, io::Listener& listener)
    : wanted_(options.tokens),
      positions_(model_of(config).max_positions),
      longest_(prompts.longest),
      facts_(facts),
      model_(config, sizes_of(model_of(config), options, prompts), listener),
      sampler_(options.sampling) {
  ensure(facts.count >= 1 && facts.count <= model_of(config).vocab_size, "generation: {} tokens of {}", facts.count,
         model_of(config).vocab_size);
}

std::vector<Continuation> Generator::run(std::span<const std::vector<std::int32_t>> prompts, std::int64_t first,
                                         const Take& take) {
  std::vector<Sequence> sequences;
  for (const std::vector<std::int32_t>& prompt : prompts) {
    ensure(!prompt.empty() && std::ssize(prompt) <= longest_, "generation: a prompt of {} tokens, expected 1 .. {}",
           prompt.size(), longest_);
    sequences.push_back({.number = first + std::ssize(sequences), .prompt_tokens = std::ssize(prompt)});
  }
  model_.start(std::ssize(sequences));
  read_prompts(prompts, sequences, take);
  while (read_last_tokens(sequences, take)) {
  }
  std::vector<Continuation> continuations;
  for (Sequence& sequence : sequences) continuations.push_back(std::move(sequence.continuation));
  return continuations;
}

// Short ones wait for the longest.
void Generator::read_prompts(std::span<const std::vector<std::int32_t>> prompts, std::vector<Sequence>& sequences,
                             const Take& take) {
  std::vector<NewTokens> added;
  for (std::size_t done = 0;; done += static_cast<std::size_t>(model_.most_new())) {
    added.clear();
    for (std::size_t i = 0; i < prompts.size(); ++i) {
      if (prompts[i].size() <= done) continue;
      const std::size_t count = std::min(static_cast<std::size_t>(model_.most_new()), prompts[i].size() - done);
      added.push_back({.sequence = static_cast<std::int64_t>(i),
                       .tokens = std::span(prompts[i]).subspan(done, count),
                       .asks = done + count == prompts[i].size()});
    }
    if (added.empty()) return;
    model_.read(added, [&](std::size_t index, std::span<const float> logits) {
      append_token(sequences[static_cast<std::size_t>(added[index].sequence)], logits, take);
    });
  }
}

bool Generator::read_last_tokens(std::vector<Sequence>& sequences, const Take& take) {
  std::vector<NewTokens> added;
  for (std::size_t i = 0; i < sequences.size(); ++i) {
    if (sequences[i].ended) continue;
    added.push_back(
        {.sequence = static_cast<std::int64_t>(i), .tokens = std::span(sequences[i].continuation.tokens).last(1)});
  }
  if (added.empty()) return false;
  model_.read(added, [&](std::size_t index, std::span<const float> logits) {
    append_token(sequences[static_cast<std::size_t>(added[index].sequence)], logits, take);
  });
  return true;
}

void Generator::append_token(Sequence& sequence, std::span<const float> logits, const Take& take) {
  Continuation& continuation = sequence.continuation;
  const auto end_with = [&](Ending ending) {
    continuation.ending = ending;
    sequence.ended = true;
  };
  const std::int32_t token = sampler_.choose(logits.first(static_cast<std::size_t>(facts_.count)), sequence.number,
                                             std::ssize(continuation.tokens));
  if (token == facts_.end_of_text) return end_with(Ending::end_of_text);
  continuation.tokens.push_back(token);
  take(sequence.number, token);
  if (std::ssize(continuation.tokens) == wanted_) return end_with(Ending::tokens);
  if (sequence.prompt_tokens + std::ssize(continuation.tokens) == positions_) end_with(Ending::positions);
}

}  // namespace phasor::generation
