#include "models/squad/inputs.h"

#include "engine/base/error.h"
#include "models/run/machine.h"
#include "models/squad/cache.h"

namespace phasor::squad {

const bert::Config& model_of(const run::ResolvedRun& config) { return std::get<bert::Config>(config.model); }

const task_options::SquadOptions& options_of(const run::ResolvedRun& config) {
  return std::get<task_options::SquadOptions>(config.data.task);
}

FeatureSettings feature_settings(const run::ResolvedRun& config, bool keep_characters) {
  const task_options::SquadOptions& options = options_of(config);
  return {.sequence_length = model_of(config).sequence_length,
          .document_stride = options.document_stride,
          .max_query_length = options.max_query_length,
          .keep_characters = keep_characters};
}

SpanSettings span_settings(const run::ResolvedRun& config) {
  const task_options::SquadOptions& options = options_of(config);
  return {.n_best = options.n_best,
          .max_answer_tokens = options.max_answer_length,
          .null_threshold = options.null_score_threshold};
}

namespace {

void check_vocabulary(const run::ResolvedRun& config) {
  check(!options_of(config).vocab.empty(), "data.vocab is missing. Give it a WordPiece vocabulary (vocab.txt)");
}

}  // namespace

io::WordPiece load_vocabulary(const run::ResolvedRun& config) {
  check_vocabulary(config);
  return io::WordPiece::load(options_of(config).vocab);
}

void check_tokens(const run::ResolvedRun& config, const Features& features) {
  const std::string& vocab = options_of(config).vocab;
  const std::int64_t size = model_of(config).vocab_size;
  for (const std::int32_t token : features.tokens) {
    check(token < size, "data.vocab '{}' gives token {}, but model.vocab_size is {}", vocab, token, size);
  }
  check(features.pad < size, "data.vocab '{}' has [PAD] as token {}, but model.vocab_size is {}", vocab, features.pad,
        size);
}

Features load_features(const run::ResolvedRun& config, const std::string& data, bool keep_characters,
                       io::Listener& listener) {
  check_vocabulary(config);
  run::use_all_threads(config);
  CachedFeatures loaded = cached_features({.data = data, .vocab = options_of(config).vocab},
                                          feature_settings(config, keep_characters), config.data.cache, listener);
  if (!loaded.note.empty()) listener.note(loaded.note);
  listener.note(
      fmt::format("{}: {} features{}", data, loaded.features.size(), loaded.from_cache ? ", from the cache" : ""));
  check_tokens(config, loaded.features);
  check(loaded.features.size() > 0, "'{}' has no questions", data);
  return std::move(loaded.features);
}

void search_spans(run::TrainedModel& model, const FeatureSamples& samples, SpanSearch& search, io::Progress& progress) {
  const run::TrainedModel::Take take = [&](std::span<const run::Place> places, const auto& results) {
    const std::vector<float>& logits = results.at("logits");  // [2, rows, sequence]: starts, then ends
    const std::int64_t rows = model.micro_batch().rows, sequence = std::ssize(logits) / (2 * rows);
    for (const run::Place& place : places) {
      const auto own = [&](std::int64_t row) {  // of the feature's tokens
        return std::span(logits).subspan(static_cast<std::size_t>(row * sequence + place.first),
                                         static_cast<std::size_t>(samples.tokens(place.sample)));
      };
      search.add(place.sample, own(place.row), own(rows + place.row));
    }
  };
  model.run(samples, take, progress);
}

}  // namespace phasor::squad
