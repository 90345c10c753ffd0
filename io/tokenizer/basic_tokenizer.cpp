#include "io/tokenizer/basic_tokenizer.h"

#include <array>

#include "io/text/utf8.h"
#include "io/tokenizer/bert_characters.h"

namespace phasor::io {

namespace {

struct AsciiTable {
  std::array<BertCharacter, 128> kinds;

  AsciiTable() {
    for (std::size_t byte = 0; byte < kinds.size(); ++byte)
      kinds[byte] = classify_ascii(static_cast<unsigned char>(byte));
  }
};

class Splitter {
 public:
  Splitter(std::string_view text, Words& words) : text_(text), words_(words) {}

  void run() {
    static const AsciiTable ascii;
    std::size_t byte = 0;
    for (; byte < text_.size(); ++character_) {
      const char lead = text_[byte];
      if (static_cast<unsigned char>(lead) >= ascii.kinds.size()) {
        put_normalized(next_code_point(text_, byte));
        continue;
      }
      put_ascii(ascii.kinds[static_cast<unsigned char>(lead)], ascii_lower(lead));
      ++byte;
    }
    end_word();
  }

 private:
  void put_ascii(BertCharacter kind, char byte) {
    switch (kind) {
      case BertCharacter::Text:
        append(byte);
        break;
      case BertCharacter::Space:
        end_word();
        break;
      case BertCharacter::Punctuation:
        end_word();
        append(byte);
        end_word();
        break;
      case BertCharacter::Dropped:
        break;
    }
  }

  void put_normalized(char32_t code_point) {
    const BertParts parts = normalize_character(code_point);
    if (parts.ideograph) end_word();
    for (int i = 0; i < parts.count; ++i) {
      if (parts.kinds[i] != BertCharacter::Text) end_word();
      if (parts.kinds[i] != BertCharacter::Space) append_utf8(parts.code_points[i], words_.bytes);
      words_.origins.resize(words_.bytes.size(), character_);
      if (parts.kinds[i] != BertCharacter::Text) end_word();
    }
    if (parts.ideograph) end_word();
  }

  void append(char byte) {
    words_.bytes.push_back(byte);
    words_.origins.push_back(character_);
  }

  void end_word() {
    const auto end = static_cast<std::int32_t>(words_.bytes.size());
    if (end == word_begin_) return;
    words_.ends.push_back(end);
    word_begin_ = end;
  }

  std::string_view text_;
  Words& words_;
  std::int32_t character_ = 0;
  std::int32_t word_begin_ = 0;
};

}  // namespace

void Words::clear() {
  bytes.clear();
  origins.clear();
  ends.clear();
}

void split_words(std::string_view text, Words& words) {
  words.clear();
  Splitter(text, words).run();
}

}  // namespace phasor::io
