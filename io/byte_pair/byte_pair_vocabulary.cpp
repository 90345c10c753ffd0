#include "io/byte_pair/byte_pair_vocabulary.h"

#include <algorithm>
#include <filesystem>

#include "engine/base/error.h"
#include "io/byte_pair/byte_pair_json.h"
#include "io/byte_pair/vocabulary_builder.h"
#include "io/files/text_file.h"
#include "io/json/json_text.h"
#include "io/text/utf8.h"

namespace phasor::io {

namespace {

namespace fs = std::filesystem;

// A file of tokens and that of the merges beside it.
struct FilePair {
  const char *tokens, *merges;
};

constexpr FilePair kFilePairs[] = {{"vocab.json", "merges.txt"}, {"encoder.json", "vocab.bpe"}};

// The first line may be "#version: 0.2". Others that begin with # are merges.
void add_merge_lines(const std::string& path, VocabularyBuilder& builder) {
  const std::string bytes = read_file("vocab", path);
  const std::size_t invalid = find_invalid_utf8(bytes);
  check(invalid == bytes.size(), "vocab: '{}' is not valid UTF-8 at byte {}", path, invalid);
  std::size_t number = 0;
  for (std::string_view rest = bytes; !rest.empty();) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    std::string_view line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (++number == 1 && line.starts_with("#version")) continue;
    builder.add_merge({path, "line", number}, line);
  }
}

BytePairVocabulary read_pair(const std::string& path, const std::string& merges) {
  const nlohmann::json tokens = parse_json("vocab", path, read_file("vocab", path), "vocab.json");
  check(tokens.is_object(), "vocab: '{}' holds {}, expected an object of tokens and their ids", path,
        json_kind(tokens));
  VocabularyBuilder builder(path, tokens.size());
  for (const auto& [name, id] : tokens.items()) builder.add_token(name, id);
  builder.end_tokens();
  add_merge_lines(merges, builder);
  return builder.take();
}

std::string file_in(const std::string& folder) {
  for (const char* name : {"tokenizer.json", kFilePairs[0].tokens, kFilePairs[1].tokens}) {
    const fs::path file = fs::path(folder) / name;
    if (fs::exists(file)) return file.string();
  }
  throw UserError(fmt::format(
      "vocab: '{}' has no tokenizer.json, no vocab.json and no encoder.json. Is it the folder of a GPT-2?", folder));
}

}  // namespace

BytePairVocabulary read_byte_pair_vocabulary(const std::string& path) {
  std::error_code none;
  const fs::path file = fs::is_directory(path, none) ? file_in(path) : path;
  const auto pair =
      std::ranges::find_if(kFilePairs, [&](const FilePair& names) { return file.filename() == names.tokens; });
  if (pair == std::end(kFilePairs)) return read_byte_pair_json(file.string());
  return read_pair(file.string(), (file.parent_path() / pair->merges).string());
}

}  // namespace phasor::io
