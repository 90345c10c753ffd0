// config.json of a BERT as Transformers writes and reads it.
#pragma once

#include <string>

#include "models/bert/config.h"
#include "models/transformers/config_json.h"

namespace phasor::transformers {

// Reads config.json of the folder into the model. What our BERT does not compute (another model, another activation,
// another kind of position embedding, a decoder) is a UserError that names the key and what was expected.
FolderConfig read_bert_config(const std::string& folder, bert::Config model = {});

// The file's text for a BERT with a question-answering head whose weights are of the type.
std::string bert_config_json(const bert::Config& model, io::StoredType type);

}  // namespace phasor::transformers
