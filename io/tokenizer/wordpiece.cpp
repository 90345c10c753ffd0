#include "io/tokenizer/wordpiece.h"

#include "engine/base/error.h"
#include "io/text/utf8.h"
#include "io/tokenizer/vocabulary.h"

namespace phasor::io {

void Tokens::clear() {
  ids.clear();
  begins.clear();
  ends.clear();
}

WordPiece WordPiece::load(const std::string& vocabulary) { return WordPiece(read_vocabulary(vocabulary)); }

WordPiece::WordPiece(const std::vector<std::string>& vocabulary)
    : trie_(vocabulary),
      vocab_size_(static_cast<std::int64_t>(vocabulary.size())),
      inside_(trie_.walk(ByteTrie::kRoot, "##")) {
  const auto id_of = [&](std::string_view token) {
    const ByteTrie::Match match = trie_.longest(ByteTrie::kRoot, token);
    ensure(match.bytes == token.size(), "wordpiece: the vocabulary has no {}", token);
    return match.key;
  };
  pad_ = id_of("[PAD]");
  unknown_ = id_of("[UNK]");
  cls_ = id_of("[CLS]");
  sep_ = id_of("[SEP]");
}

void WordPiece::encode(std::string_view text, Tokens& tokens, Words& words) const {
  split_words(text, words);
  std::size_t begin = 0;
  for (const std::int32_t word_end : words.ends) {
    const auto end = static_cast<std::size_t>(word_end);
    encode_word(std::string_view(words.bytes).substr(begin, end - begin), words.origins.data() + begin, tokens);
    begin = end;
  }
}

Tokens WordPiece::encode(std::string_view text) const {
  Tokens tokens;
  Words words;
  encode(text, tokens, words);
  return tokens;
}

// Greedy: the longest piece of the vocabulary at the beginning, then the longest "##" piece at the beginning of what is
// left, to the end. A word that cannot be covered so is one [UNK].
void WordPiece::encode_word(std::string_view word, const std::int32_t* origins, Tokens& tokens) const {
  const std::size_t before = tokens.size();
  const auto add = [&](std::int32_t id, std::size_t begin, std::size_t end) {
    tokens.ids.push_back(id);
    tokens.begins.push_back(origins[begin]);
    tokens.ends.push_back(origins[end - 1] + 1);
  };
  bool covered = word.size() <= kMaxWordCharacters || count_code_points(word) <= kMaxWordCharacters;
  for (std::size_t begin = 0; covered && begin < word.size();) {
    const std::int32_t node = begin == 0 ? ByteTrie::kRoot : inside_;
    covered = node != ByteTrie::kNowhere;
    if (!covered) break;
    const ByteTrie::Match piece = trie_.longest(node, word.substr(begin));
    covered = piece.bytes > 0;
    if (covered) add(piece.key, begin, begin + piece.bytes);
    begin += piece.bytes;
  }
  if (covered) return;
  tokens.ids.resize(before);
  tokens.begins.resize(before);
  tokens.ends.resize(before);
  add(unknown_, 0, word.size());
}

}  // namespace phasor::io
