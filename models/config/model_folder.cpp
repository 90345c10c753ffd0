#include "models/config/model_folder.h"

#include <algorithm>

#include "engine/base/error.h"
#include "io/tokenizer/vocabulary.h"
#include "models/config/field_text.h"
#include "models/transformers/bert_config.h"
#include "models/transformers/bert_tokenizer.h"

namespace phasor::run {

namespace {

std::map<std::string, std::string> field_texts(const RunConfig& config) {
  std::map<std::string, std::string> texts;
  visit_fields(config, [&](const char* key, const auto& field, const char*) { texts[key] = field_text(field); });
  return texts;
}

void check_agrees(const RunConfig& config, const RunConfig& filled, const GivenKeys& given) {
  const auto own = field_texts(config), folder = field_texts(filled);
  for (const auto& [key, source] : given) {
    const auto found = own.find(key);
    if (found == own.end() || found->second == folder.at(key)) continue;
    check(false, "config: {} is {} in {}, but {} in '{}/config.json'. Leave it out, or take another folder", key,
          found->second, source, folder.at(key), config.model_from);
  }
}

// The model was trained on the ids of its own vocabulary.
void check_same_vocabulary(const std::string& given, const std::string& of_folder) {
  if (given == of_folder || of_folder.empty()) return;
  const std::vector<std::string> ours = io::read_vocabulary(given), theirs = io::read_vocabulary(of_folder);
  const auto [a, b] = std::ranges::mismatch(ours, theirs);
  const auto text = [](const auto& list, auto token) { return token == list.end() ? "no token" : "'" + *token + "'"; };
  check(a == ours.end() && b == theirs.end(),
        "config: data.vocab '{}' has {} for id {}, but '{}' has {}. Leave data.vocab out: the model has its own", given,
        text(ours, a), a - ours.begin(), of_folder, text(theirs, b));
}

}  // namespace

void apply_model_folder(RunConfig& config, const GivenKeys& given) {
  const transformers::FolderConfig folder = transformers::read_bert_config(config.model_from);
  RunConfig filled = config;
  filled.model = folder.model;
  filled.model.sequence_length = config.model.sequence_length;
  if (given.contains("model.dropout_prob")) {
    filled.model.dropout_prob = config.model.dropout_prob;
  } else {
    check(folder.attention_dropout_prob == folder.model.dropout_prob,
          "config: '{}/config.json' has hidden_dropout_prob {} and attention_probs_dropout_prob {}, Phasor has one "
          "probability. Choose it with --model.dropout_prob",
          config.model_from, folder.model.dropout_prob, folder.attention_dropout_prob);
  }
  if (given.contains("model.initializer_range")) filled.model.initializer_range = config.model.initializer_range;
  if (config.model.vocab_size == 0) config.model.vocab_size = filled.model.vocab_size;  // 0: whatever it is
  check_agrees(config, filled, given);
  if (!given.contains("model.sequence_length")) {
    filled.model.sequence_length = std::min(filled.model.sequence_length, filled.model.max_positions);
  }
  const std::string vocabulary = transformers::find_vocabulary(config.model_from);
  if (filled.data.vocab.empty()) {
    filled.data.vocab = vocabulary;
  } else {
    check_same_vocabulary(filled.data.vocab, vocabulary);
  }
  config = filled;
}

}  // namespace phasor::run
