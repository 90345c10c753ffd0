#include "models/config/model_folder.h"

#include <algorithm>

#include "engine/base/error.h"
#include "io/tokenizer/vocabulary.h"
#include "models/bert/config.h"
#include "models/config/field_text.h"
#include "models/transformers/bert_config.h"
#include "models/transformers/bert_tokenizer.h"

namespace phasor::run {

namespace {

std::map<std::string, std::string> field_texts(const RunConfig& config) {
  std::map<std::string, std::string> texts;
  visit_fields(config,
               [&](const char* key, const auto& field, const fields::Facts&) { texts[key] = field_text(field); });
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
  auto* own = std::get_if<bert::Config>(&config.model);
  auto* task = std::get_if<task_options::SquadOptions>(&config.data.task);
  check(own != nullptr && task != nullptr, "config: model.from '{}' needs model.architecture bert and data.task squad",
        config.model_from);
  const transformers::FolderConfig folder = transformers::read_bert_config(config.model_from);
  bert::Config model = folder.model;
  model.sequence_length = own->sequence_length;
  if (given.contains("model.dropout_prob")) {
    model.dropout_prob = own->dropout_prob;
  } else {
    check(folder.attention_dropout_prob == folder.model.dropout_prob,
          "config: '{}/config.json' has hidden_dropout_prob {} and attention_probs_dropout_prob {}, Phasor has one "
          "probability. Choose it with --model.dropout_prob",
          config.model_from, folder.model.dropout_prob, folder.attention_dropout_prob);
  }
  if (given.contains("model.initializer_range")) model.initializer_range = own->initializer_range;
  if (own->vocab_size == 0) own->vocab_size = model.vocab_size;  // 0: whatever it is
  RunConfig filled = config;
  filled.model = model;
  check_agrees(config, filled, given);
  if (!given.contains("model.sequence_length")) {
    model.sequence_length = std::min(model.sequence_length, model.max_positions);
  }
  *own = model;
  const std::string vocabulary = transformers::find_vocabulary(config.model_from);
  if (task->vocab.empty()) {
    task->vocab = vocabulary;
  } else {
    check_same_vocabulary(task->vocab, vocabulary);
  }
}

}  // namespace phasor::run
