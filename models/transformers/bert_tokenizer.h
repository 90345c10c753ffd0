// The tokenizer of a BERT's folder: vocab.txt or tokenizer.json, and tokenizer_config.json.
#pragma once

#include <string>
#include <vector>

#include "models/transformers/tokenizer_files.h"

namespace phasor::transformers {

// The folder's vocab.txt, else its tokenizer.json, else empty: a path for io::read_vocabulary. A tokenizer_config.json
// that asks for anything but BERT's uncased tokenizer is a UserError.
std::string find_bert_vocabulary(const std::string& folder);

Vocabulary read_bert_vocabulary(const std::string& path);

// vocab.txt, and tokenizer_config.json: BERT's uncased tokenizer, for texts of at most `max_positions` tokens.
std::vector<TextFile> bert_tokenizer_files(const Vocabulary& vocabulary, std::int64_t max_positions);

}  // namespace phasor::transformers
