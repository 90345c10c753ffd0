// The vocabulary inside a tokenizer.json, the file of Transformers' fast tokenizers.
#pragma once

#include <string>
#include <vector>

namespace phasor::io {

// The tokens by id, those added to the vocabulary included. Ids are 0, 1, ... without a gap, and the file describes
// BERT's uncased WordPiece: anything else is a UserError that names the field.
std::vector<std::string> read_tokenizer_json(const std::string& path);

}  // namespace phasor::io
