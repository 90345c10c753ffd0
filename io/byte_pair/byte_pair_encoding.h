// GPT-2's tokenizer, byte-level byte pair encoding: any bytes to token ids and back.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/byte_pair/byte_pair_vocabulary.h"
#include "io/byte_pair/merge_table.h"
#include "io/byte_pair/token_table.h"

namespace phasor::io {

// Gives the ids of Transformers' GPT2TokenizerFast. Immutable: any number of threads may encode at once.
class BytePairEncoding {
 public:
  // A tokenizer.json, vocab.json or encoder.json, or a folder with one (byte_pair_vocabulary.h).
  static BytePairEncoding load(const std::string& path);
  explicit BytePairEncoding(BytePairVocabulary vocabulary);  // as read

  // Appends the ids of `text`: of any bytes, decode() gives them back. What is not UTF-8 is cut into pieces as if
  // U+FFFD stood there. "<|endoftext|>" is text like any other. A stretch without a place to cut it (text_pieces.h) is
  // shorter than 4 GiB, which is a UserError else, and takes about 40 bytes of memory a byte.
  void encode(std::string_view text, std::vector<std::int32_t>& ids) const;

  // The same, but "<|endoftext|>" is the token of that name, where there is one; what stands before and behind it are
  // texts of their own, as for Transformers.
  void encode_with_end_of_text(std::string_view text, std::vector<std::int32_t>& ids) const;

  // What the token stands for; a UserError for an id that no token has.
  std::string_view bytes(std::int32_t id) const;
  std::string decode(std::span<const std::int32_t> ids) const;

  std::int64_t vocab_size() const { return std::ssize(vocabulary_.tokens); }

  // The id of "<|endoftext|>", with which documents end; -1 if there is none.
  std::int32_t end_of_text() const { return vocabulary_.end_of_text; }

  // 32 hexadecimal digits that tell vocabularies and their merges apart, whichever files they came from.
  const std::string& fingerprint() const { return fingerprint_; }

 private:
  BytePairVocabulary vocabulary_;
  MergeTable merges_;
  TokenTable whole_;  // the tokens that a piece of their bytes merges into: nearly all of them
  std::string fingerprint_;
};

}  // namespace phasor::io
