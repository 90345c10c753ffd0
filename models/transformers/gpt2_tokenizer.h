// The tokenizer of a GPT-2's folder: tokenizer.json, or vocab.json and merges.txt; and tokenizer_config.json.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "models/transformers/tokenizer_files.h"

namespace phasor::transformers {

// The folder's tokenizer.json, else its vocab.json, else empty: a path for io::BytePairEncoding. A
// tokenizer_config.json that adds anything to a text is a UserError.
std::string find_gpt2_vocabulary(const std::string& folder);

// Each byte of a token by its character (io/byte_pair/byte_characters.h).
Vocabulary read_gpt2_vocabulary(const std::string& path);

// vocab.json, merges.txt, and tokenizer_config.json for texts of at most `max_positions` tokens. None of an empty
// vocabulary. Two tokens of the same bytes are a UserError: the files have one name for both.
std::vector<TextFile> gpt2_tokenizer_files(const Vocabulary& vocabulary, std::int64_t max_positions);

// The id of the token that ends a text, or null.
nlohmann::json end_of_text(const Vocabulary& vocabulary);

}  // namespace phasor::transformers
