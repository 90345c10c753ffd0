// Tokenizers whose tokens can be told by looking.
#pragma once

#include <algorithm>
#include <atomic>
#include <cctype>

#include "models/text/text_encoder.h"

namespace phasor::test {

// A token a byte, behind them the one that ends documents.
class ByteEncoder : public text::TextEncoder {
 public:
  static constexpr std::int32_t kEnd = 256;
  explicit ByteEncoder(std::int64_t vocab_size = 257) : vocab_size_(vocab_size) {}

  void encode(std::string_view text, std::vector<std::int32_t>& ids) const override {
    ++texts;
    for (const char byte : text) ids.push_back(static_cast<unsigned char>(byte));
  }
  std::int64_t vocab_size() const override { return vocab_size_; }
  std::int32_t end_of_text() const override { return has_end ? kEnd : -1; }
  std::string fingerprint() const override { return name; }

  bool has_end = true;
  std::string name = "bytes";
  mutable std::atomic<int> texts = 0;  // that were encoded

 private:
  std::int64_t vocab_size_;
};

// A token a piece, cut as GPT-2 cuts text of ASCII: letters or other visible characters, with a space before them;
// blanks, all but the last of which something visible follows. Another piece is most likely another token.
class WordEncoder : public text::TextEncoder {
 public:
  static constexpr std::int32_t kEnd = 50256;

  void encode(std::string_view text, std::vector<std::int32_t>& ids) const override {
    while (!text.empty()) {
      const std::size_t size = first_piece(text);
      std::uint32_t hash = 2166136261U;
      for (const char byte : text.substr(0, size)) hash = (hash ^ static_cast<unsigned char>(byte)) * 16777619U;
      ids.push_back(static_cast<std::int32_t>(hash % kEnd));
      text.remove_prefix(size);
    }
  }
  std::int64_t vocab_size() const override { return kEnd + 1; }
  std::int32_t end_of_text() const override { return kEnd; }
  std::string fingerprint() const override { return "words"; }

 private:
  static std::size_t first_piece(std::string_view text) {
    enum class Class { letter, blank, other };
    const auto class_of = [&](std::size_t i) {
      const auto c = static_cast<unsigned char>(text[i]);
      return std::isalpha(c) ? Class::letter : std::isspace(c) ? Class::blank : Class::other;
    };
    const auto run_from = [&](std::size_t begin) {
      std::size_t end = begin;
      while (end < text.size() && class_of(end) == class_of(begin)) ++end;
      return end;
    };
    if (class_of(0) != Class::blank) return run_from(0);
    const std::size_t blanks = run_from(0);
    if (blanks == 1 && blanks < text.size() && text[0] == ' ') return run_from(1);
    return blanks == text.size() || blanks == 1 ? blanks : blanks - 1;
  }
};

}  // namespace phasor::test
