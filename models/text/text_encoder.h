// What reading text asks of a tokenizer.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace phasor::text {

// Any number of threads may encode at once. Long texts are cut before a space or a line's end that follows a visible
// character: the parts, each by itself, must give the tokens of the whole. GPT-2's pieces allow that: none reaches from
// such a character to a blank.
class TextEncoder {
 public:
  virtual ~TextEncoder() = default;

  // Appends the tokens of any bytes, each of 0 .. vocab_size() - 1.
  virtual void encode(std::string_view text, std::vector<std::int32_t>& ids) const = 0;
  virtual std::int64_t vocab_size() const = 0;
  // The token that ends a document; -1: none.
  virtual std::int32_t end_of_text() const = 0;
  // Another one where any text may have other tokens.
  virtual std::string fingerprint() const = 0;
};

// A tokenizer that has these functions.
template <class Tokenizer>
class EncoderOf : public TextEncoder {
 public:
  explicit EncoderOf(const Tokenizer& tokenizer) : tokenizer_(tokenizer) {}

  void encode(std::string_view text, std::vector<std::int32_t>& ids) const override { tokenizer_.encode(text, ids); }
  std::int64_t vocab_size() const override { return tokenizer_.vocab_size(); }
  std::int32_t end_of_text() const override { return tokenizer_.end_of_text(); }
  std::string fingerprint() const override { return tokenizer_.fingerprint(); }

 private:
  const Tokenizer& tokenizer_;
};

}  // namespace phasor::text
