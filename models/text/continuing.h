// Goes on with texts by a trained model: with those of a list, or with one at a time.
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/listener/listener.h"
#include "models/config/resolved_run.h"
#include "models/generation/generator.h"
#include "models/text/inputs.h"

namespace phasor::text {

struct ContinuedText {
  std::string prompt, text;          // what follows the prompt; both valid UTF-8, with U+FFFD for what is none
  std::vector<std::int32_t> tokens;  // of the text
  generation::Ending ending = generation::Ending::tokens;
};

// An object of prompt, text, tokens, and ended_by: end_of_text, tokens or positions.
nlohmann::ordered_json to_json(const ContinuedText& continued);

// Hands `take` what follows each prompt, in their order, those of a batch when all of it is done; the listener hears
// how far it has come. With the weights of checkpoint.load, else of model.from. A prompt that is too long, among them,
// is a UserError before any work.
void continue_texts(const run::ResolvedRun& config, const generation::GenerationOptions& options,
                    std::span<const std::string> prompts, const std::function<void(const ContinuedText&)>& take,
                    io::Listener& listener);

// Holds a model to go on with one text at a time. One thread at a time.
class TextContinuer {
 public:
  // On one replica, with all threads, whatever execution.* says of batches and replicas. `only`: the one prompt that
  // will come, which takes less memory than any that could.
  TextContinuer(const run::ResolvedRun& config, const generation::GenerationOptions& options,
                const std::optional<std::string>& only, io::Listener& listener);

  // Hands `take` the text as it comes, whole characters at a time. The n-th prompt is number n of those that the draws
  // tell apart.
  ContinuedText go_on(const std::string& prompt, const std::function<void(std::string_view)>& take);

 private:
  generation::PromptSizes sizes_for(const std::optional<std::string>& only) const;

  run::ResolvedRun config_;
  generation::GenerationOptions options_;
  io::BytePairEncoding vocabulary_;
  generation::Generator generator_;
  std::int64_t prompts_ = 0;  // that came before
};

}  // namespace phasor::text
