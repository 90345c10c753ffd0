// Text to words as BERT's uncased tokenizer does it: control characters dropped, split at white space, punctuation and
// CJK ideographs words of their own, lower case, accents stripped.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace phasor::io {

// The words of a text, one after the other. Reused from text to text, it stops allocating.
struct Words {
  std::string bytes;                  // UTF-8, without anything between the words
  std::vector<std::int32_t> origins;  // [bytes] code point of the text that a byte comes from
  std::vector<std::int32_t> ends;     // [words] where in `bytes` a word ends; it begins where the previous one ends

  void clear();
};

// Replaces what `words` held. `text` must be valid UTF-8 of fewer than 2^31 bytes.
void split_words(std::string_view text, Words& words);

}  // namespace phasor::io
