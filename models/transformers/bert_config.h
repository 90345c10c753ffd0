// config.json of a BERT as Transformers writes and reads it.
#pragma once

#include <string>

#include "io/safetensors/safetensors.h"
#include "models/bert/config.h"

namespace phasor::transformers {

struct FolderConfig {
  // All that the file says; sequence_length is left at its default. The dropout is that of hidden layers.
  bert::Config model;
  float attention_dropout_prob = 0.1f;  // of attention's probabilities
};

// Reads config.json of the folder. What our BERT does not compute (another model, another activation, another kind of
// position embedding, a decoder) is a UserError that names the key and what was expected.
FolderConfig read_bert_config(const std::string& folder);

// The file's text for a BERT with a question-answering head whose weights are of the type.
std::string bert_config_json(const bert::Config& model, io::StoredType type);

}  // namespace phasor::transformers
