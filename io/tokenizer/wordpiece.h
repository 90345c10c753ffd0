// BERT's uncased WordPiece tokenizer: text to token ids and to the characters each token stands for.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "io/tokenizer/basic_tokenizer.h"
#include "io/tokenizer/byte_trie.h"

namespace phasor::io {

// Tokens of one text or of several appended, one element a token in each list.
struct Tokens {
  std::vector<std::int32_t> ids;
  std::vector<std::int32_t> begins;  // first character, in code points of the original text
  std::vector<std::int32_t> ends;    // one behind the last

  std::size_t size() const { return ids.size(); }
  void clear();
};

// Gives the ids and offsets of Transformers' BertTokenizerFast with do_lower_case, with two exceptions: a special token
// written out in the text ("[SEP]") is text like any other, and combining marks that are not dropped keep their order.
// Immutable: any number of threads may encode at once.
class WordPiece {
 public:
  // Longer words, in characters after normalization, become [UNK].
  static constexpr std::int64_t kMaxWordCharacters = 100;

  static WordPiece load(const std::string& vocabulary);            // a vocab.txt
  explicit WordPiece(const std::vector<std::string>& vocabulary);  // with [PAD], [UNK], [CLS], [SEP], as read

  // Appends the tokens of `text`, without [CLS] or [SEP]. `text` must be valid UTF-8. `words` is scratch memory.
  void encode(std::string_view text, Tokens& tokens, Words& words) const;
  Tokens encode(std::string_view text) const;

  std::int64_t vocab_size() const { return vocab_size_; }
  std::int32_t pad() const { return pad_; }
  std::int32_t unknown() const { return unknown_; }
  std::int32_t cls() const { return cls_; }
  std::int32_t sep() const { return sep_; }

 private:
  void encode_word(std::string_view word, const std::int32_t* origins, Tokens& tokens) const;

  ByteTrie trie_;
  std::int64_t vocab_size_;
  std::int32_t inside_;  // the trie's node of "##", where pieces inside a word continue
  std::int32_t pad_, unknown_, cls_, sep_;
};

}  // namespace phasor::io
