#include "models/squad/inputs.h"

#include <fmt/format.h>

#include "engine/base/parallel.h"
#include "io/tokenizer/wordpiece.h"
#include "models/config/cache_folder.h"
#include "models/squad/cache.h"
#include "models/squad/training.h"

namespace phasor::run {

Machine make_machine(const RunConfig& config, const RunSizes& sizes) {
  const ExecutionConfig& execution = config.execution;
  auto store = execution.remote_store == "file" ? file_store(execution.remote_path) : memory_store();
  return Machine(std::move(store), execution.data_parallel, sizes.threads_per_replica);
}

SquadSettings squad_settings(const RunConfig& config, bool keep_characters) {
  return {.sequence_length = config.model.sequence_length,
          .document_stride = config.data.document_stride,
          .max_query_length = config.data.max_query_length,
          .keep_characters = keep_characters};
}

SpanSettings span_settings(const RunConfig& config) {
  return {.n_best = config.data.n_best,
          .max_answer_tokens = config.data.max_answer_length,
          .null_threshold = config.data.null_score_threshold};
}

void check_trained_model(const RunConfig& config) {
  check(!config.checkpoint.load.empty() || !config.model_from.empty(),
        "checkpoint.load is missing. Give it the checkpoint of a trained model, or model.from a Transformers folder");
}

void check_vocabulary(const RunConfig& config) {
  check(!config.data.vocab.empty(), "data.vocab is missing. Give it a WordPiece vocabulary (vocab.txt)");
}

void check_tokens(const RunConfig& config, const SquadFeatures& features) {
  for (const std::int32_t token : features.tokens) {
    check(token < config.model.vocab_size, "data.vocab '{}' gives token {}, but model.vocab_size is {}",
          config.data.vocab, token, config.model.vocab_size);
  }
  check(features.pad < config.model.vocab_size, "data.vocab '{}' has [PAD] as token {}, but model.vocab_size is {}",
        config.data.vocab, features.pad, config.model.vocab_size);
}

void use_all_threads(const RunConfig& config) {
  set_threads(validate(config).threads_per_replica * config.execution.data_parallel);
}

SquadFeatures load_features(const RunConfig& config, const std::string& data, bool keep_characters,
                            io::ProgressStyle style) {
  check_vocabulary(config);
  use_all_threads(config);
  CachedFeatures loaded =
      load_squad_features({.data = data, .vocab = config.data.vocab}, squad_settings(config, keep_characters),
                          cache_directory(config.data.cache), style);
  if (style != io::ProgressStyle::Quiet) {
    if (!loaded.note.empty()) fmt::print(stderr, "{}\n", loaded.note);
    fmt::print(stderr, "{}: {} features{}\n", data, loaded.features.size(),
               loaded.from_cache ? ", from the cache" : "");
  }
  check_tokens(config, loaded.features);
  check(loaded.features.size() > 0, "'{}' has no questions", data);
  return std::move(loaded.features);
}

void resolve_vocab_size(RunConfig& config) {
  constexpr std::int64_t kBertVocabSize = 30522;
  if (config.model.vocab_size != 0) return;
  config.model.vocab_size =
      config.data.vocab.empty() ? kBertVocabSize : io::WordPiece::load(config.data.vocab).vocab_size();
}

}  // namespace phasor::run
