#include "models/transformers/gpt2_tokenizer.h"

#include <algorithm>
#include <filesystem>
#include <fmt/ranges.h>
#include <unordered_map>

#include "engine/base/error.h"
#include "io/byte_pair/byte_characters.h"
#include "io/byte_pair/byte_pair_vocabulary.h"
#include "io/json/json_text.h"
#include "models/transformers/settings_file.h"

namespace phasor::transformers {

namespace {

std::string name_of_bytes(const std::string& bytes) {
  std::string name;
  for (const char byte : bytes) name += io::byte_character(static_cast<unsigned char>(byte));
  return name;
}

// All tokens in one object, in the order of their ids, in ASCII.
std::string token_ids(const std::vector<std::string>& tokens) {
  std::unordered_map<std::string_view, std::size_t> ids;
  std::string text = "{";
  for (std::size_t id = 0; id < tokens.size(); ++id) {
    const auto [first, fresh] = ids.emplace(tokens[id], id);
    check(fresh, "transformers: the vocabulary has '{}' for the ids {} and {}, vocab.json has one for a token",
          io::shown(tokens[id]), first->second, id);
    text += fmt::format("{}{}: {}", id == 0 ? "" : ", ", nlohmann::json(tokens[id]).dump(-1, ' ', true), id);
  }
  return text + "}\n";
}

std::string byte_level_config(const Vocabulary& vocabulary, std::int64_t max_positions) {
  // A token that is named here and missing there would be added to the vocabulary, behind the model's embeddings.
  const nlohmann::json end = end_of_text(vocabulary).is_null() ? nlohmann::json() : io::BytePairVocabulary::kEndOfText;
  const nlohmann::ordered_json document{{"tokenizer_class", "GPT2Tokenizer"},
                                        {"add_prefix_space", false},
                                        {"model_max_length", max_positions},
                                        {"bos_token", end},
                                        {"eos_token", end},
                                        {"unk_token", end}};
  return document.dump(2) + "\n";
}

}  // namespace

std::string find_gpt2_vocabulary(const std::string& folder) {
  if (std::filesystem::exists(folder + "/" + kTokenizerConfigFile)) {
    const SettingsFile settings(folder, kTokenizerConfigFile,
                                {.only = "Phasor's tokenizer adds nothing to a text", .missing = ""});
    for (const char* key : {"add_prefix_space", "add_bos_token", "add_eos_token"}) settings.expect(key, false);
  }
  for (const char* name : {"/tokenizer.json", "/vocab.json"}) {
    if (std::filesystem::exists(folder + name)) return folder + name;
  }
  return "";
}

Vocabulary read_gpt2_vocabulary(const std::string& path) {
  const io::BytePairVocabulary read = io::read_byte_pair_vocabulary(path);
  Vocabulary vocabulary;
  for (const std::string& bytes : read.tokens) vocabulary.tokens.push_back(name_of_bytes(bytes));
  for (const io::BytePairMerge& merge : read.merges) {
    vocabulary.merges.push_back(vocabulary.tokens[static_cast<std::size_t>(merge.left)] + " " +
                                vocabulary.tokens[static_cast<std::size_t>(merge.right)]);
  }
  return vocabulary;
}

std::vector<TextFile> gpt2_tokenizer_files(const Vocabulary& vocabulary, std::int64_t max_positions) {
  if (vocabulary.tokens.empty()) return {};
  std::string merges = "#version: 0.2\n";
  for (const std::string& merge : vocabulary.merges) merges += merge + "\n";
  return {{"vocab.json", token_ids(vocabulary.tokens)},
          {"merges.txt", std::move(merges)},
          {kTokenizerConfigFile, byte_level_config(vocabulary, max_positions)}};
}

nlohmann::json end_of_text(const Vocabulary& vocabulary) {
  const auto found = std::ranges::find(vocabulary.tokens, io::BytePairVocabulary::kEndOfText);
  return found == vocabulary.tokens.end() ? nlohmann::json() : nlohmann::json(found - vocabulary.tokens.begin());
}

}  // namespace phasor::transformers
