// BERT vocabularies: a text file of one token a line, whose number (from 0) is its id, or a tokenizer.json.
#pragma once

#include <string>
#include <vector>

namespace phasor::io {

// The tokens by id; a path that ends in .json is a tokenizer.json (tokenizer_json.h). Every token is valid UTF-8, not
// empty, and stands there once; [PAD], [UNK], [CLS] and [SEP] are among them. Anything else is a UserError that names
// the line or the field.
std::vector<std::string> read_vocabulary(const std::string& path);

}  // namespace phasor::io
