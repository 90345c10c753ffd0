#include "models/transformers/folder_kind.h"

#include <algorithm>
#include <array>
#include <fmt/ranges.h>

#include "engine/base/error.h"
#include "models/fields/alternatives.h"
#include "models/task_options/task_options.h"
#include "models/transformers/bert_config.h"
#include "models/transformers/bert_tokenizer.h"
#include "models/transformers/gpt2_config.h"
#include "models/transformers/gpt2_tokenizer.h"

namespace phasor::transformers {

namespace {

using architecture::ModelConfig;

std::vector<TextFile> with_config(std::string config, std::vector<TextFile> tokenizer) {
  tokenizer.insert(tokenizer.begin(), {kConfigFile, std::move(config)});
  return tokenizer;
}

std::vector<TextFile> bert_files(const ModelConfig& model, const Vocabulary& vocabulary, io::StoredType type) {
  const auto& bert = std::get<bert::Config>(model);
  return with_config(bert_config_json(bert, type), bert_tokenizer_files(vocabulary, bert.max_positions));
}

std::vector<TextFile> gpt2_files(const ModelConfig& model, const Vocabulary& vocabulary, io::StoredType type) {
  const auto& gpt2 = std::get<gpt2::Config>(model);
  return with_config(gpt2_config_json(gpt2, vocabulary, type), gpt2_tokenizer_files(vocabulary, gpt2.max_positions));
}

template <class Config, FolderConfig (*read)(const std::string&, Config)>
FolderConfig read_into(const std::string& folder, const ModelConfig& model) {
  return read(folder, std::get<Config>(model));
}

const std::array<FolderKind, 2>& kinds() {
  static const std::array<FolderKind, 2> table{{{.architecture = bert::Config::kName,
                                                 .task = task_options::SquadOptions::kName,
                                                 .tensors = bert_tensor_names(),
                                                 .read_config = read_into<bert::Config, read_bert_config>,
                                                 .find_vocabulary = find_bert_vocabulary,
                                                 .read_vocabulary = read_bert_vocabulary,
                                                 .text_files = bert_files},
                                                {.architecture = gpt2::Config::kName,
                                                 .task = task_options::TextOptions::kName,
                                                 .whole_rows = true,
                                                 .needs_vocabulary = false,
                                                 .tensors = gpt2_tensor_names(),
                                                 .read_config = read_into<gpt2::Config, read_gpt2_config>,
                                                 .find_vocabulary = find_gpt2_vocabulary,
                                                 .read_vocabulary = read_gpt2_vocabulary,
                                                 .text_files = gpt2_files}}};
  return table;
}

}  // namespace

const FolderKind* find_kind(std::string_view architecture) {
  const auto found = std::ranges::find(kinds(), architecture, &FolderKind::architecture);
  return found == kinds().end() ? nullptr : &*found;
}

const FolderKind& kind_of(const ModelConfig& model) {
  const FolderKind* kind = find_kind(fields::name_of(model));
  check(kind != nullptr, "transformers: a {} has no folder there, only {}", fields::name_of(model), all_kinds());
  return *kind;
}

std::string all_kinds() {
  std::vector<std::string> names;
  for (const FolderKind& kind : kinds()) names.push_back(fmt::format("a {} for {}", kind.architecture, kind.task));
  return fmt::format("{}", fmt::join(names, " or "));
}

}  // namespace phasor::transformers
