// tokenizer.json of a byte-level vocabulary, and vocab.json with merges.txt: an input that does not begin with { is the
// latter file, beside tokens that fit the seed.
#include <fstream>
#include <nlohmann/json.hpp>

#include "engine/base/error.h"
#include "io/byte_pair/byte_characters.h"
#include "io/byte_pair/byte_pair_encoding.h"
#include "io/files/text_file.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/support/temporary_folder.h"

namespace phasor::fuzz {

namespace {

nlohmann::json tokens() {
  nlohmann::json ids;
  const auto add = [&](const std::string& token) { ids.emplace(token, ids.size()); };
  for (int byte = 0; byte < 256; ++byte) add(io::byte_character(static_cast<unsigned char>(byte)));
  for (const char* token : {"th", "the", "Ġthe", "Ġt", "ss", "Ã©", "<|endoftext|>"}) add(token);
  return ids;
}

std::string file_with(const nlohmann::json& merges, const nlohmann::json& fields = nlohmann::json::object()) {
  nlohmann::json file = {{"added_tokens", {{{"id", 262}, {"content", "<|endoftext|>"}, {"special", true}}}},
                         {"pre_tokenizer", {{"type", "ByteLevel"}, {"add_prefix_space", false}, {"use_regex", true}}},
                         {"model", {{"type", "BPE"}, {"vocab", tokens()}, {"merges", merges}}}};
  file.update(fields, true);
  return file.dump();
}

}  // namespace

std::vector<std::string> seeds() {
  return {file_with({"t h", "th e", "Ġ the", "s s", "Ã ©"}),
          file_with(nlohmann::json::parse(R"([["t","h"],["th","e"],["Ġ","t"]])"),
                    {{"model", {{"unk_token", "a"}, {"dropout", nullptr}}}}),
          file_with({"t h", nlohmann::json::array({1})}, {{"added_tokens", {1}}}),
          "#version: 0.2\nt h\nth e\nĠ the\ns s\nÃ ©\n", "t h\r\nth e\r\nĠ t\r\n"};
}

std::vector<std::string> words() {
  return {"\"model\":",
          "\"vocab\":",
          "\"merges\":",
          "\"added_tokens\":",
          "\"special\":true",
          "\"content\":",
          "\"pre_tokenizer\":",
          "\"ByteLevel\"",
          "[\"t\",\"h\"]",
          "\"t h\",",
          "\"th\":256,",
          "null",
          "true",
          "[",
          "]",
          "{",
          "}",
          ",",
          "\"\"",
          "-1",
          "1.5",
          "4294967296",
          "Ġ",
          "ġ",
          "t h\n",
          "#version\n",
          "\r\n",
          " ",
          "\xff"};
}

void read_input(const std::string& path) {
  static const test::TemporaryFolder folder;
  static const std::string vocabulary = folder.file("vocab.json");
  std::string file = path;
  if (!io::read_file("fuzz", path).starts_with('{')) {
    std::ofstream(vocabulary) << tokens();
    std::filesystem::copy_file(path, folder.file("merges.txt"), std::filesystem::copy_options::overwrite_existing);
    file = vocabulary;
  }
  const auto encoding = io::BytePairEncoding::load(file);
  const std::string text = "the  theses'll\xE2\x82 ss \xFF\n" + std::string(99, 's') + " é中<|endoftext|>";
  std::vector<std::int32_t> ids;
  encoding.encode(text, ids);
  encoding.encode_with_end_of_text(text, ids);
  ensure(encoding.decode(ids) == text + text, "fuzz: the text does not come back");
}

}  // namespace phasor::fuzz
