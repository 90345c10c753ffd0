// The tokenizer of a Transformers folder: the vocabulary, and tokenizer_config.json.
#pragma once

#include <string>
#include <vector>

namespace phasor::transformers {

// The folder's vocab.txt, else its tokenizer.json, else empty: a path for io::read_vocabulary. A tokenizer_config.json
// that asks for anything but BERT's uncased tokenizer is a UserError.
std::string find_vocabulary(const std::string& folder);

// The text of vocab.txt.
std::string vocabulary_text(const std::vector<std::string>& tokens);

// The text of tokenizer_config.json: BERT's uncased tokenizer, for texts of at most `max_positions` tokens.
std::string tokenizer_config_json(const std::vector<std::string>& tokens, std::int64_t max_positions);

}  // namespace phasor::transformers
