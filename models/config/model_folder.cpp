#include "models/config/model_folder.h"

#include <algorithm>
#include <limits>

#include "engine/base/error.h"
#include "models/config/field_text.h"
#include "models/fields/alternatives.h"
#include "models/transformers/folder_kind.h"

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
    const bool left_open = key == "model.vocab_size" && found != own.end() && found->second == "0";
    if (found == own.end() || left_open || found->second == folder.at(key)) continue;
    check(false, "config: {} is {} in {}, but {} in '{}/config.json'. Leave it out, or take another folder", key,
          found->second, source, folder.at(key), config.model_from);
  }
}

// The model was trained on the ids of its own vocabulary.
void check_same_vocabulary(const transformers::FolderKind& kind, const std::string& given,
                           const std::string& of_folder) {
  if (given == of_folder || of_folder.empty()) return;
  const transformers::Vocabulary ours = kind.read_vocabulary(given), theirs = kind.read_vocabulary(of_folder);
  const auto check_same = [&](const std::vector<std::string>& a, const std::vector<std::string>& b, const char* what,
                              const char* place) {
    const auto [at, other] = std::ranges::mismatch(a, b);
    const auto text = [&](const auto& list, auto found) {
      return found == list.end() ? fmt::format("no {}", what) : "'" + *found + "'";
    };
    check(at == a.end() && other == b.end(),
          "config: data.vocab '{}' has {} for {} {}, but '{}' has {}. Leave data.vocab out: the model has its own",
          given, text(a, at), place, at - a.begin(), of_folder, text(b, other));
  };
  check_same(ours.tokens, theirs.tokens, "token", "id");
  check_same(ours.merges, theirs.merges, "merge", "merge");
}

// The row of the table that fits the configuration, and the folder.
const transformers::FolderKind& find_folder_kind(const RunConfig& config) {
  const std::string architecture = fields::name_of(config.model), task = fields::name_of(config.data.task);
  const std::string type = transformers::model_type(config.model_from);
  const transformers::FolderKind* kind = transformers::find_kind(type.empty() ? architecture : type);
  check(kind != nullptr || type.empty(), "config: '{}/config.json' has model_type {}, expected {}", config.model_from,
        type, transformers::all_kinds());
  check(kind != nullptr, "config: model.from is the folder of {}, but model.architecture is {}",
        transformers::all_kinds(), architecture);
  check(kind->architecture == architecture && kind->task == task,
        "config: model.from '{}' is a {} for {}, but model.architecture is {} and data.task is {}. Give "
        "--model.architecture {} and --data.task {}, or another folder",
        config.model_from, kind->architecture, kind->task, architecture, task, kind->architecture, kind->task);
  return *kind;
}

// What the folder says of the model, in place of what the configuration does.
architecture::ModelConfig read_model(const RunConfig& config, const transformers::FolderKind& kind,
                                     const GivenKeys& given) {
  const auto [model, dropouts] = kind.read_config(config.model_from, config.model);
  if (given.contains("model.dropout_prob")) return model;
  const auto other =
      std::ranges::find_if(dropouts, [&dropouts = dropouts](const auto& d) { return d.second != dropouts[0].second; });
  if (other != dropouts.end()) {
    check(false,
          "config: '{}/config.json' has {} {} and {} {}, Phasor has one probability. Choose it with "
          "--model.dropout_prob",
          config.model_from, dropouts[0].first, dropouts[0].second, other->first, other->second);
  }
  return model;
}

// What is the run's to choose, and what it leaves to the folder.
void keep_choices(const RunConfig& config, const GivenKeys& given, RunConfig& filled) {
  const std::map<std::string, std::string> own = field_texts(config);
  for (const char* key : {"model.dropout_prob", "model.initializer_range"}) {
    if (const auto source = given.find(key); source != given.end()) set_field(filled, key, own.at(key), source->second);
  }
}

void end_rows_at_positions(architecture::ModelConfig& model) {
  std::visit(
      [](auto& config) {
        if constexpr (requires { config.max_positions; }) {
          config.sequence_length = std::min(config.sequence_length, config.max_positions);
        }
      },
      model);
}

}  // namespace

void choose_by_folder(RunConfig& config, const std::string& folder) {
  const transformers::FolderKind* kind = transformers::find_kind(transformers::model_type(folder));
  if (kind == nullptr) return;
  fields::choose(config.model, kind->architecture);
  fields::choose(config.data.task, kind->task);
  if (kind->whole_rows) architecture::set_row_tokens(config.model, std::numeric_limits<std::int64_t>::max());
}

void apply_model_folder(RunConfig& config, const GivenKeys& given) {
  const transformers::FolderKind& kind = find_folder_kind(config);
  RunConfig filled = config;
  filled.model = read_model(config, kind, given);
  keep_choices(config, given, filled);
  check_agrees(config, filled, given);
  config.model = filled.model;
  if (!given.contains("model.sequence_length")) end_rows_at_positions(config.model);
  std::string& vocab = *task_options::vocab(config.data.task);
  const std::string of_folder = kind.find_vocabulary(config.model_from);
  if (vocab.empty()) {
    vocab = of_folder;
  } else {
    check_same_vocabulary(kind, vocab, of_folder);
  }
}

}  // namespace phasor::run
