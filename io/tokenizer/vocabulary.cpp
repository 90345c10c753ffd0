#include "io/tokenizer/vocabulary.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>

#include "engine/base/error.h"
#include "io/files/text_file.h"
#include "io/text/utf8.h"
#include "io/tokenizer/tokenizer_json.h"

namespace phasor::io {

namespace {

std::vector<std::string> read_token_lines(const std::string& path) {
  const std::string bytes = read_file("vocab", path);
  check(!bytes.empty(), "vocab: '{}' is empty, expected one token a line", path);
  std::vector<std::string> tokens;
  std::unordered_map<std::string_view, std::size_t> lines;
  std::string_view rest = bytes;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    std::string_view token = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (token.ends_with('\r')) token.remove_suffix(1);
    const std::size_t line = tokens.size() + 1;
    const std::size_t invalid = find_invalid_utf8(token);
    check(!token.empty(), "vocab: '{}' line {} is empty, expected a token", path, line);
    check(invalid == token.size(), "vocab: '{}' line {} is not valid UTF-8 at byte {}. Is this a vocab.txt?", path,
          line, invalid);
    const auto [first, fresh] = lines.emplace(token, line);
    check(fresh, "vocab: '{}' line {} repeats the token '{}' of line {}", path, line, token, first->second);
    tokens.emplace_back(token);
  }
  return tokens;
}

}  // namespace

std::vector<std::string> read_vocabulary(const std::string& path) {
  std::vector<std::string> tokens = path.ends_with(".json") ? read_tokenizer_json(path) : read_token_lines(path);
  for (const std::string_view token : {"[PAD]", "[UNK]", "[CLS]", "[SEP]"}) {
    check(std::ranges::find(tokens, token) != tokens.end(),
          "vocab: '{}' has {} tokens but not {}. Is this a BERT vocabulary?", path, tokens.size(), token);
  }
  return tokens;
}

}  // namespace phasor::io
