// The byte-level vocabulary inside a tokenizer.json, the file of Transformers' fast tokenizers.
#pragma once

#include <string>

#include "io/byte_pair/byte_pair_vocabulary.h"

namespace phasor::io {

// The file describes GPT-2's way from text to ids: what would give others is a UserError that names the field. Tokens
// that were added are special ones, all of them. Truncation and padding are not read: they are whose who encodes.
BytePairVocabulary read_byte_pair_json(const std::string& path);

}  // namespace phasor::io
