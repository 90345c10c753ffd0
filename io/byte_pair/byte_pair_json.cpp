#include "io/byte_pair/byte_pair_json.h"

#include "engine/base/error.h"
#include "io/byte_pair/vocabulary_builder.h"
#include "io/files/text_file.h"
#include "io/json/json_text.h"

namespace phasor::io {

namespace {

using nlohmann::json;

// What decides into which tokens a text falls; absent means as in GPT-2, but without a pre-tokenizer a text is one
// piece. A token for what is unknown may have any name, because every byte has its own.
void check_is_byte_level(const std::string& path, const json& document) {
  const auto expect = [&](std::initializer_list<const char*> keys, const json& expected, bool is_needed = false) {
    const json& found = json_at(document, keys);
    check((found.is_null() && !is_needed) || found == expected, "vocab: '{}' has {} {}, this tokenizer knows {} only",
          path, fmt::join(keys, "."), shown(found.dump()), expected.dump());
  };
  expect({"model", "type"}, "BPE");
  expect({"model", "dropout"}, 0);
  expect({"model", "continuing_subword_prefix"}, "");
  expect({"model", "end_of_word_suffix"}, "");
  expect({"model", "byte_fallback"}, false);
  expect({"model", "ignore_merges"}, false);
  expect({"normalizer"}, nullptr);
  expect({"pre_tokenizer", "type"}, "ByteLevel", true);
  expect({"pre_tokenizer", "add_prefix_space"}, false);
  expect({"pre_tokenizer", "use_regex"}, true);
  expect({"decoder", "type"}, "ByteLevel");
  // Transformers writes a template of the text and nothing else; others add tokens to every text.
  const json &type = json_at(document, {"post_processor", "type"}),
             &single = json_at(document, {"post_processor", "single"});
  const bool is_text_alone = single.is_array() && single.size() == 1 && !json_at(single[0], {"Sequence"}).is_null();
  check(type.is_null() || type == "ByteLevel" || (type == "TemplateProcessing" && is_text_alone),
        "vocab: '{}' has a post_processor {} that may add tokens, this tokenizer knows \"ByteLevel\" only", path,
        shown(type.dump()));
}

void add_added_tokens(const std::string& path, const json& added, VocabularyBuilder& builder) {
  for (const json& token : added) {
    const json& content = json_at(token, {"content"});
    check(content.is_string(), "vocab: '{}' has {} for the content of an added token, expected a string", path,
          json_kind(content));
    const std::string text = content.get<std::string>();
    check(json_at(token, {"special"}) == true,
          "vocab: '{}' has the added token '{}', which is not special, this tokenizer knows special ones only", path,
          shown(text));
    builder.add_text(text, json_at(token, {"id"}));
  }
}

void add_merges(const std::string& path, const json& merges, VocabularyBuilder& builder) {
  std::size_t number = 0;
  for (const json& merge : merges) {
    const VocabularyBuilder::Place place{path, "merge", ++number};
    if (merge.is_string()) {
      builder.add_merge(place, merge.get_ref<const std::string&>());
    } else {
      const bool two = merge.is_array() && merge.size() == 2 && merge[0].is_string() && merge[1].is_string();
      check(two, "vocab: '{}' merge {} is {}, expected two tokens", path, number, shown(merge.dump()));
      builder.add_merge(place, merge[0].get_ref<const std::string&>(), merge[1].get_ref<const std::string&>());
    }
  }
}

}  // namespace

BytePairVocabulary read_byte_pair_json(const std::string& path) {
  const json document = parse_json("vocab", path, read_file("vocab", path), "tokenizer.json");
  const json& vocabulary = json_at(document, {"model", "vocab"});
  check(vocabulary.is_object(),
        "vocab: '{}' has {} for model.vocab, expected an object. Is it of a byte-level tokenizer?", path,
        json_kind(vocabulary));
  check_is_byte_level(path, document);
  const json &merges = json_at(document, {"model", "merges"}), &added = json_at(document, {"added_tokens"});
  check(merges.is_array(), "vocab: '{}' has {} for model.merges, expected a list", path, json_kind(merges));
  check(added.is_null() || added.is_array(), "vocab: '{}' has {} for added_tokens, expected a list", path,
        json_kind(added));
  VocabularyBuilder builder(path, vocabulary.size() + added.size());
  add_added_tokens(path, added, builder);
  for (const auto& [name, id] : vocabulary.items()) builder.add_token(name, id);
  builder.end_tokens();
  add_merges(path, merges, builder);
  return builder.take();
}

}  // namespace phasor::io
