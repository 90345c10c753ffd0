#include "models/text/task.h"

#include <filesystem>

#include "engine/base/error.h"
#include "io/files/atomic_file.h"
#include "models/text/continuing.h"
#include "models/text/evaluation.h"
#include "models/text/inputs.h"
#include "models/text/prompts.h"

namespace phasor::text {

std::unique_ptr<run::Samples> Text::training_samples(const run::ResolvedRun& config, io::Listener& listener) const {
  return std::make_unique<TextSamples>(text::training_samples(config, listener));
}

bool Text::can_evaluate(const run::ResolvedRun& config) const {
  return !config.data.dev.empty() || (!config.data.train.empty() && options_of(config).held_out > 0);
}

void Text::check_evaluation(const run::ResolvedRun& config, io::Listener& listener) const {
  evaluated_samples(config, listener);
}

run::Scores Text::evaluate(const run::ResolvedRun& config, io::Listener& listener) const {
  return to_scores(text::evaluate(config, listener));
}

run::Task::Predictions Text::predict(const run::ResolvedRun& config, const PredictRequest& request,
                                     io::Listener& listener) const {
  const auto given = request.options.find(kPrompts);
  const std::string& source = given == request.options.end() ? config.data.predict : given->second;
  check(!source.empty(), "data.predict is missing. Give it, or --prompts, a file of prompts, a line each");
  const generation::GenerationOptions options =
      generation::read_options(request.options, model_of(config), config.seed);
  const std::vector<std::string> prompts = read_prompts(source);
  std::error_code error;
  std::filesystem::create_directories(request.output, error);
  check(!error, "output folder '{}' cannot be made: {}", request.output, error.message());
  const std::string file = request.output + "/continuations.jsonl";
  io::check_writable(file);
  std::string lines;
  std::int64_t tokens = 0;
  const auto take = [&](const ContinuedText& continued) {
    lines += to_json(continued).dump() + "\n";
    tokens += std::ssize(continued.tokens);
  };
  continue_texts(config, options, prompts, take, listener);
  io::write_file_atomically(file, lines);
  return {.text = fmt::format("{} prompts continued by {} tokens, a line each in {}", prompts.size(), tokens, file),
          .values = {{"prompts", prompts.size()}, {"tokens", tokens}, {"continuations", file}}};
}

}  // namespace phasor::text
