#include "models/generation/generation_options.h"

#include <algorithm>

#include "engine/base/error.h"
#include "models/config/field_text.h"

namespace phasor::generation {

namespace {

template <class Number>
void read(const std::map<std::string, std::string>& given, const char* name, Number& number) {
  const auto found = given.find(name);
  if (found == given.end()) return;
  check(run::parse_field(found->second, number), "--{} '{}' is not {}", name, found->second,
        run::expected_field(number, found->second));
}

}  // namespace

GenerationOptions read_options(const std::map<std::string, std::string>& given, const gpt2::Config& model,
                               std::int64_t seed) {
  GenerationOptions options;
  read(given, kTokens, options.tokens);
  read(given, kTemperature, options.sampling.temperature);
  read(given, kTopK, options.sampling.top_k);
  read(given, kTopP, options.sampling.top_p);
  options.sampling.seed = seed;
  validate(options.sampling);
  check(options.tokens >= 0, "--tokens {} is less than 0, which asks for as many as there are positions for",
        options.tokens);
  // A model of few positions is asked for fewer where nobody says how many.
  if (!given.contains(kTokens)) options.tokens = std::min(options.tokens, model.max_positions / 2);
  check(options.tokens < model.max_positions, "--tokens {} leaves no position for a prompt: model.max_positions is {}",
        options.tokens, model.max_positions);
  return options;
}

}  // namespace phasor::generation
