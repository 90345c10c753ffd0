#include "io/tokenizer/tokenizer_json.h"

#include <algorithm>

#include "engine/base/error.h"
#include "io/files/text_file.h"
#include "io/json/json_text.h"

namespace phasor::io {

namespace {

using nlohmann::json;

// What decides into which tokens a text falls; absent means as in BERT.
void check_is_uncased_bert(const std::string& path, const json& document) {
  const auto expect = [&](std::initializer_list<const char*> keys, const json& expected) {
    const json& found = json_at(document, keys);
    check(found.is_null() || found == expected, "vocab: '{}' has {} {}, this tokenizer knows {} only", path,
          fmt::join(keys, "."), shown(found.dump()), expected.dump());
  };
  expect({"model", "type"}, "WordPiece");
  expect({"model", "unk_token"}, "[UNK]");
  expect({"model", "continuing_subword_prefix"}, "##");
  expect({"model", "max_input_chars_per_word"}, 100);
  expect({"normalizer", "type"}, "BertNormalizer");
  expect({"normalizer", "clean_text"}, true);
  expect({"normalizer", "handle_chinese_chars"}, true);
  expect({"normalizer", "strip_accents"}, true);
  expect({"normalizer", "lowercase"}, true);
  expect({"pre_tokenizer", "type"}, "BertPreTokenizer");
}

class TokenList {
 public:
  TokenList(const std::string& path, std::size_t most) : path_(path), tokens_(most) {}

  void add(const json& id, const std::string& token) {
    const bool inside = id.is_number_unsigned() && id.get<std::uint64_t>() < tokens_.size();
    check(inside, "vocab: '{}' gives token '{}' the id {}, expected one below {}, their number", path_, shown(token),
          shown(id.dump()), tokens_.size());
    check(!token.empty() && token.find_first_of("\r\n") == token.npos,
          "vocab: '{}' has a token of id {} that is empty or has a line break", path_, id.dump());
    std::string& place = tokens_[id.get<std::size_t>()];
    check(place.empty() || place == token, "vocab: '{}' gives id {} to '{}' and '{}'", path_, id.dump(), shown(place),
          shown(token));
    place = token;
  }

  // Added tokens repeat some of the vocabulary, so that places at the end may be left over.
  std::vector<std::string> take() {
    while (!tokens_.empty() && tokens_.back().empty()) tokens_.pop_back();
    const auto gap = std::ranges::find(tokens_, "");
    check(gap == tokens_.end(), "vocab: '{}' has no token of id {}, though larger ones", path_, gap - tokens_.begin());
    return std::move(tokens_);
  }

 private:
  const std::string& path_;
  std::vector<std::string> tokens_;
};

}  // namespace

std::vector<std::string> read_tokenizer_json(const std::string& path) {
  const json document = parse_json("vocab", path, read_file("vocab", path), "tokenizer.json");
  const json& vocabulary = json_at(document, {"model", "vocab"});
  check(vocabulary.is_object(),
        "vocab: '{}' has {} for model.vocab, expected an object. Is it of a WordPiece tokenizer?", path,
        json_kind(vocabulary));
  check_is_uncased_bert(path, document);
  const json& added = json_at(document, {"added_tokens"});
  check(added.is_null() || added.is_array(), "vocab: '{}' has {} for added_tokens, expected a list", path,
        json_kind(added));
  TokenList tokens(path, vocabulary.size() + added.size());
  for (const auto& [token, id] : vocabulary.items()) tokens.add(id, token);
  for (const json& token : added) {
    const json &content = json_at(token, {"content"}), &id = json_at(token, {"id"});
    check(content.is_string(), "vocab: '{}' has {} for the content of an added token, expected a string", path,
          json_kind(content));
    const std::string text = content.get<std::string>();
    check(!vocabulary.contains(text) || vocabulary[text] == id, "vocab: '{}' gives token '{}' the ids {} and {}", path,
          shown(text), vocabulary.value(text, json()).dump(), id.dump());
    tokens.add(id, text);
  }
  return tokens.take();
}

}  // namespace phasor::io
