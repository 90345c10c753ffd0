// What a byte-level vocabulary holds, whichever files it came from.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace phasor::io {

struct BytePairMerge {
  std::int32_t left = 0, right = 0;  // two tokens, one behind the other, ...
  std::int32_t result = 0;           // ... become this one
};

struct BytePairVocabulary {
  static constexpr std::string_view kEndOfText = "<|endoftext|>";

  std::vector<std::string> tokens;              // [id] the bytes that it stands for
  std::vector<BytePairMerge> merges;            // [rank] no two of the same left and right
  std::array<std::int32_t, 256> byte_tokens{};  // [byte] the token of that byte alone
  std::int32_t end_of_text = -1;                // -1: there is none
};

// Reads a tokenizer.json, a vocab.json with the merges.txt beside it, an encoder.json with the vocab.bpe beside it, or
// a folder that holds such files; of several the first in this order. Every token has one id of 0, 1, ... without a
// gap, every byte has a token, merges name tokens. Anything else is a UserError of one line that names the file and the
// place.
BytePairVocabulary read_byte_pair_vocabulary(const std::string& path);

}  // namespace phasor::io
