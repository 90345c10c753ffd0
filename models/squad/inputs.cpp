#include "models/squad/inputs.h"

#include <fmt/format.h>

#include "engine/base/parallel.h"
#include "models/squad/cache.h"

namespace phasor::run {

const bert::Config& model_of(const ResolvedRun& config) { return std::get<bert::Config>(config.model); }

const task_options::SquadOptions& options_of(const ResolvedRun& config) {
  return std::get<task_options::SquadOptions>(config.data.task);
}

Machine make_machine(const ResolvedRun& config) {
  auto store = config.store.in_files ? file_store(config.store.path) : memory_store();
  return Machine(std::move(store), config.execution.replicas, config.execution.threads_per_replica);
}

SquadSettings squad_settings(const ResolvedRun& config, bool keep_characters) {
  const task_options::SquadOptions& options = options_of(config);
  return {.sequence_length = model_of(config).sequence_length,
          .document_stride = options.document_stride,
          .max_query_length = options.max_query_length,
          .keep_characters = keep_characters};
}

SpanSettings span_settings(const ResolvedRun& config) {
  const task_options::SquadOptions& options = options_of(config);
  return {.n_best = options.n_best,
          .max_answer_tokens = options.max_answer_length,
          .null_threshold = options.null_score_threshold};
}

void check_trained_model(const ResolvedRun& config) {
  check(!config.checkpoint.load.empty() || !config.model_from.empty(),
        "checkpoint.load is missing. Give it the checkpoint of a trained model, or model.from a Transformers folder");
}

void check_vocabulary(const ResolvedRun& config) {
  check(!options_of(config).vocab.empty(), "data.vocab is missing. Give it a WordPiece vocabulary (vocab.txt)");
}

void check_tokens(const ResolvedRun& config, const SquadFeatures& features) {
  const std::string& vocab = options_of(config).vocab;
  const std::int64_t size = model_of(config).vocab_size;
  for (const std::int32_t token : features.tokens) {
    check(token < size, "data.vocab '{}' gives token {}, but model.vocab_size is {}", vocab, token, size);
  }
  check(features.pad < size, "data.vocab '{}' has [PAD] as token {}, but model.vocab_size is {}", vocab, features.pad,
        size);
}

void use_all_threads(const ResolvedRun& config) { set_threads(config.all_threads()); }

SquadFeatures load_features(const ResolvedRun& config, const std::string& data, bool keep_characters,
                            io::ProgressStyle style) {
  check_vocabulary(config);
  use_all_threads(config);
  CachedFeatures loaded = load_squad_features({.data = data, .vocab = options_of(config).vocab},
                                              squad_settings(config, keep_characters), config.data.cache, style);
  if (style != io::ProgressStyle::Quiet) {
    if (!loaded.note.empty()) fmt::print(stderr, "{}\n", loaded.note);
    fmt::print(stderr, "{}: {} features{}\n", data, loaded.features.size(),
               loaded.from_cache ? ", from the cache" : "");
  }
  check_tokens(config, loaded.features);
  check(loaded.features.size() > 0, "'{}' has no questions", data);
  return std::move(loaded.features);
}

}  // namespace phasor::run
