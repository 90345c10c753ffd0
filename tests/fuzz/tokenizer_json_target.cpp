#include <algorithm>

#include "engine/base/error.h"
#include "io/tokenizer/tokenizer_json.h"
#include "tests/fuzz/fuzz_target.h"

namespace phasor::fuzz {

namespace {

// A tokenizer.json whose model has this field besides the vocabulary.
std::string file_with(const std::string& field) {
  return R"({"version":"1.0","added_tokens":[{"id":0,"content":"[PAD]","special":true},{"id":5,"content":"new"}],)"
         R"("normalizer":{"type":"BertNormalizer","clean_text":true,"handle_chinese_chars":true,"strip_accents":null,)"
         R"("lowercase":true},"pre_tokenizer":{"type":"BertPreTokenizer"},"model":{"type":"WordPiece",)" +
         field + R"("vocab":{"[PAD]":0,"[UNK]":1,"[CLS]":2,"[SEP]":3,"##é":4}}})";
}

// As deep as an input can be.
std::string deep_list() {
  const std::size_t depth = kMostInputBytes / 2 - 500;
  return std::string(depth, '[') + std::string(depth, ']');
}

}  // namespace

std::vector<std::string> seeds() {
  return {file_with(R"("unk_token":"[UNK]","continuing_subword_prefix":"##","max_input_chars_per_word":100,)"),
          file_with(""), file_with(R"("unk_token":)" + deep_list() + ","),
          R"({"model":{"vocab":{"a":)" + deep_list() + "}}}",
          R"({"model":{"vocab":{"a":0}},"added_tokens":[{"content":"a","id":)" + deep_list() + "}]}"};
}

std::vector<std::string> words() {
  return {"\"model\":",
          "\"vocab\":",
          "\"added_tokens\":",
          "\"id\":",
          "\"content\":",
          "\"normalizer\":",
          "\"type\":",
          "\"unk_token\":",
          "\"lowercase\":",
          "\"WordPiece\"",
          "\"BPE\"",
          "null",
          "true",
          "[",
          "]",
          "{",
          "}",
          ",",
          ":",
          "\"\"",
          "-1",
          "1.5",
          "4294967296",
          "18446744073709551616",
          "\xff",
          "\\n",
          "\\u0000"};
}

void read_input(const std::string& path) {
  const std::vector<std::string> tokens = io::read_tokenizer_json(path);
  ensure(std::ranges::none_of(tokens, &std::string::empty), "fuzz: a token is empty");
}

}  // namespace phasor::fuzz
