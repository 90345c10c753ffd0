// The kinds of model that are exchanged with Transformers, a row each: what the files of their folders are.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "models/transformers/config_json.h"
#include "models/transformers/tensor_names.h"
#include "models/transformers/tokenizer_files.h"

namespace phasor::transformers {

struct FolderKind {
  std::string_view architecture;  // ours, and Transformers' model_type
  std::string_view task;          // that its head is for
  // A run to which nothing else was said takes rows of all the positions that the model has.
  bool whole_rows = false;
  bool needs_vocabulary = true;  // to be written
  TensorNames tensors;

  // config.json, into a model of the architecture.
  FolderConfig (*read_config)(const std::string& folder, const architecture::ModelConfig& model);
  // The path for data.vocab, empty where the folder has none; and what is in a data.vocab.
  std::string (*find_vocabulary)(const std::string& folder);
  Vocabulary (*read_vocabulary)(const std::string& path);
  // All files but the weights, whose type it is.
  std::vector<TextFile> (*text_files)(const architecture::ModelConfig& model, const Vocabulary& vocabulary,
                                      io::StoredType type);
};

// That of an architecture's name; null where there is none.
const FolderKind* find_kind(std::string_view architecture);
// That of a model that came from a folder or is on its way to one.
const FolderKind& kind_of(const architecture::ModelConfig& model);

// "a bert for squad or a gpt2 for text"
std::string all_kinds();

}  // namespace phasor::transformers
