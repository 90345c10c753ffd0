// Goes on with sequences of tokens.
#pragma once

#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "models/generation/generation_model.h"
#include "models/generation/generation_options.h"

namespace phasor::generation {

// Why no more tokens follow.
enum class Ending : std::uint8_t {
  end_of_text,  // the model says so
  tokens,       // those that were asked for are there
  positions,    // the model has no more
};
std::string_view to_string(Ending ending);  // "end_of_text"

struct Continuation {
  std::vector<std::int32_t> tokens;  // new ones, without the one that ends the text
  Ending ending = Ending::tokens;
};

// Which tokens there are.
struct TokenFacts {
  std::int64_t count = 0;         // those that a model has besides are never chosen
  std::int32_t end_of_text = -1;  // -1: there is none
};

// Prompts that a generator is made for.
struct PromptSizes {
  std::int64_t count = 1;
  std::int64_t longest = 1;  // tokens
};

// The tokens that a prompt may have at most.
std::int64_t most_prompt_tokens(const gpt2::Config& model, const GenerationOptions& options);

class Generator {
 public:
  // With the weights of checkpoint.load, else of model.from, of which one is given.
  Generator(const run::ResolvedRun& config, const GenerationOptions& options, const TokenFacts& facts,
            const PromptSizes& prompts, io::Listener& listener);

  // How many prompts one pass over the weights serves.
  std::int64_t prompts_at_a_time() const { return model_.sequences(); }

  // Takes a token, without the one that ends the text, as soon as it is known.
  using Take = std::function<void(std::int64_t prompt, std::int32_t token)>;
  // Goes on with the prompts, at most prompts_at_a_time(), of 1 .. PromptSizes::longest tokens each. No prompt
  // sees the others. Their numbers, from `first` on, are those that Sampler and `take` know them by.
  std::vector<Continuation> run(std::span<const std::vector<std::int32_t>> prompts, std::int64_t first,
                                const Take& take);

 private:
  struct Sequence {
    std::int64_t number = 0;
    std::int64_t prompt_tokens = 0;
    Continuation continuation;
    bool ended = false;
  };

  void read_prompts(std::span<const std::vector<std::int32_t>> prompts, std::vector<Sequence>& sequences,
                    const Take& take);
  // Returns whether there was one that goes on.
  bool read_last_tokens(std::vector<Sequence>& sequences, const Take& take);
  void append_token(Sequence& sequence, std::span<const float> logits, const Take& take);

  std::int64_t wanted_;     // new tokens at most; 0: any number
  std::int64_t positions_;  // of the model
  std::int64_t longest_;    // prompt
  TokenFacts facts_;
  GenerationModel model_;
  Sampler sampler_;
};

}  // namespace phasor::generation
