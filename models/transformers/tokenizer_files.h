// The tokenizer of a Transformers folder, as its files have it.
#pragma once

#include <string>
#include <vector>

namespace phasor::transformers {

struct Vocabulary {
  std::vector<std::string> tokens;  // by id, as files write them
  std::vector<std::string> merges;  // by rank; "a b" becomes "ab". None of a vocabulary of whole words and their parts
};

struct TextFile {
  std::string name, text;
};

inline constexpr const char* kTokenizerConfigFile = "tokenizer_config.json";

}  // namespace phasor::transformers
