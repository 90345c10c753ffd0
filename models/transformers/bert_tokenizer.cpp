#include "models/transformers/bert_tokenizer.h"

#include <algorithm>
#include <filesystem>
#include <fmt/ranges.h>

#include "io/tokenizer/vocabulary.h"
#include "models/transformers/settings_file.h"

namespace phasor::transformers {

namespace {

std::string uncased_config(const std::vector<std::string>& tokens, std::int64_t max_positions) {
  nlohmann::ordered_json document{{"tokenizer_class", "BertTokenizer"},
                                  {"do_lower_case", true},
                                  {"do_basic_tokenize", true},
                                  {"strip_accents", nullptr},
                                  {"tokenize_chinese_chars", true},
                                  {"model_max_length", max_positions},
                                  {"pad_token", "[PAD]"},
                                  {"unk_token", "[UNK]"},
                                  {"cls_token", "[CLS]"},
                                  {"sep_token", "[SEP]"},
                                  {"mask_token", "[MASK]"}};
  // A token that is named here and missing there would be added to the vocabulary, behind the model's embeddings.
  if (std::ranges::find(tokens, "[MASK]") == tokens.end()) document["mask_token"] = nullptr;
  return document.dump(2) + "\n";
}

}  // namespace

std::string find_bert_vocabulary(const std::string& folder) {
  if (std::filesystem::exists(folder + "/" + kTokenizerConfigFile)) {
    // Settings that change which tokens a text gives. Null means as lower case has it.
    const SettingsFile settings(folder, kTokenizerConfigFile,
                                {.only = "Phasor's tokenizer is that of uncased BERT", .missing = ""});
    for (const char* key : {"do_lower_case", "strip_accents", "tokenize_chinese_chars", "do_basic_tokenize"}) {
      settings.expect(key, true);
    }
  }
  for (const char* name : {"/vocab.txt", "/tokenizer.json"}) {
    if (std::filesystem::exists(folder + name)) return folder + name;
  }
  return "";
}

Vocabulary read_bert_vocabulary(const std::string& path) { return {.tokens = io::read_vocabulary(path), .merges = {}}; }

std::vector<TextFile> bert_tokenizer_files(const Vocabulary& vocabulary, std::int64_t max_positions) {
  return {{"vocab.txt", fmt::format("{}\n", fmt::join(vocabulary.tokens, "\n"))},
          {kTokenizerConfigFile, uncased_config(vocabulary.tokens, max_positions)}};
}

}  // namespace phasor::transformers
