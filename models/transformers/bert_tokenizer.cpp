#include "models/transformers/bert_tokenizer.h"

#include <algorithm>
#include <filesystem>

#include "engine/base/error.h"
#include "io/files/text_file.h"
#include "io/json/json_text.h"

namespace phasor::transformers {

namespace {

// Settings of BertTokenizer that change which tokens a text gives. Null means as lower case has it.
void check_is_uncased(const std::string& path) {
  const nlohmann::json document =
      io::parse_json("transformers", path, io::read_file("transformers", path), "tokenizer_config.json");
  check(document.is_object(), "transformers: '{}' holds {}, expected an object", path, io::json_kind(document));
  for (const char* key : {"do_lower_case", "strip_accents", "tokenize_chinese_chars", "do_basic_tokenize"}) {
    const auto found = document.find(key);
    check(found == document.end() || found->is_null() || *found == true,
          "transformers: '{}' has {} {}, expected true: Phasor's tokenizer is that of uncased BERT", path, key,
          found == document.end() ? "" : io::shown(found->dump()));
  }
}

}  // namespace

std::string find_vocabulary(const std::string& folder) {
  if (const std::string settings = folder + "/tokenizer_config.json"; std::filesystem::exists(settings)) {
    check_is_uncased(settings);
  }
  for (const char* name : {"/vocab.txt", "/tokenizer.json"}) {
    if (std::filesystem::exists(folder + name)) return folder + name;
  }
  return "";
}

std::string vocabulary_text(const std::vector<std::string>& tokens) {
  return fmt::format("{}\n", fmt::join(tokens, "\n"));
}

std::string tokenizer_config_json(const std::vector<std::string>& tokens, std::int64_t max_positions) {
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

}  // namespace phasor::transformers
