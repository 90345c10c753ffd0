// config.json of a GPT-2 as Transformers writes and reads it.
#pragma once

#include <string>

#include "models/gpt2/config.h"
#include "models/transformers/config_json.h"
#include "models/transformers/tokenizer_files.h"

namespace phasor::transformers {

// Reads config.json of the folder into the model; sizes may have the names that they have in other models. What our
// GPT-2 does not compute (another model, another activation, a head of its own, attention that is scaled otherwise) is
// a UserError that names the key and what was expected. Settings that change the order of the arithmetic alone
// (reorder_and_upcast_attn), or what is behind the model (summary_*, tokens that begin and end a text), are not read.
FolderConfig read_gpt2_config(const std::string& folder, gpt2::Config model = {});

// The file's text for a GPT-2 with its language model's head whose weights are of the type. Which token ends a text is
// the vocabulary's; an empty one leaves it open.
std::string gpt2_config_json(const gpt2::Config& model, const Vocabulary& vocabulary, io::StoredType type);

}  // namespace phasor::transformers
