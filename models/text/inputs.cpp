#include "models/text/inputs.h"

#include <algorithm>

#include "engine/base/error.h"
#include "models/text/held_out.h"
#include "models/text/load_text.h"

namespace phasor::text {

namespace {

constexpr std::int64_t kGpt2EndOfText = 50256;

// Of files of tokens, whose vocabulary nobody gives, GPT-2's.
std::int32_t end_of_text(const run::ResolvedRun& config, const std::optional<io::BytePairEncoding>& vocabulary) {
  if (vocabulary) return vocabulary->end_of_text();
  return model_of(config).vocab_size > kGpt2EndOfText ? static_cast<std::int32_t>(kGpt2EndOfText) : -1;
}

TokenStream load(const run::ResolvedRun& config, const std::string& list, io::Listener& listener) {
  const std::optional<io::BytePairEncoding> vocabulary = load_vocabulary(config);
  const auto encoder = vocabulary ? std::optional(EncoderOf(*vocabulary)) : std::nullopt;
  TokenStream stream = load_text(list,
                                 {.encoder = encoder ? &*encoder : nullptr,
                                  .end_of_text = end_of_text(config, vocabulary),
                                  .cache = config.data.cache},
                                 listener);
  stream.check_vocabulary(model_of(config).vocab_size);
  return stream;
}

TextSamples samples_of(const run::ResolvedRun& config, TokenStream stream, std::int64_t stride) {
  const Documents documents = options_of(config).separate_documents ? Documents::separate : Documents::joined;
  return {std::move(stream), {.sequence = model_of(config).sequence_length, .documents = documents, .stride = stride}};
}

TokenStream load_training(const run::ResolvedRun& config, io::Listener& listener) {
  check(!config.data.train.empty(), "data.train is missing. Give it files of text or of tokens");
  return load(config, config.data.train, listener);
}

}  // namespace

const gpt2::Config& model_of(const run::ResolvedRun& config) { return std::get<gpt2::Config>(config.model); }

const task_options::TextOptions& options_of(const run::ResolvedRun& config) {
  return std::get<task_options::TextOptions>(config.data.task);
}

std::optional<io::BytePairEncoding> load_vocabulary(const run::ResolvedRun& config) {
  const std::string& path = options_of(config).vocab;
  if (path.empty()) return std::nullopt;
  auto vocabulary = std::make_optional(io::BytePairEncoding::load(path));
  const std::int64_t size = model_of(config).vocab_size;
  check(vocabulary->vocab_size() <= size, "data.vocab '{}' has {} tokens, but model.vocab_size is {}", path,
        vocabulary->vocab_size(), size);
  return vocabulary;
}

TextSamples training_samples(const run::ResolvedRun& config, io::Listener& listener) {
  TokenStream stream = load_training(config, listener);
  const double held_out = options_of(config).held_out;
  if (config.data.dev.empty() && held_out > 0) stream = hold_out(stream, held_out).train;
  return samples_of(config, std::move(stream), 0);
}

TextSamples evaluated_samples(const run::ResolvedRun& config, io::Listener& listener) {
  const task_options::TextOptions& options = options_of(config);
  const std::int64_t sequence = model_of(config).sequence_length;
  const std::int64_t stride = options.stride > 0 ? options.stride : std::max<std::int64_t>(1, sequence / 2);
  if (!config.data.dev.empty()) return samples_of(config, load(config, config.data.dev, listener), stride);
  check(options.held_out > 0, "data.dev is missing. Give it files of text or of tokens, or data.held_out a part");
  return samples_of(config, hold_out(load_training(config, listener), options.held_out).dev, stride);
}

}  // namespace phasor::text
