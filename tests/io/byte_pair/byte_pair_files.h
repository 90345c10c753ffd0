// Files of the small vocabulary of byte_pair_goldens.json, in all their forms.
#pragma once

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

namespace phasor::test {

inline const nlohmann::json& byte_pair_goldens() {
  static const auto goldens =
      nlohmann::json::parse(std::ifstream(PHASOR_SOURCE_DIR "/tests/io/byte_pair/byte_pair_goldens.json"));
  return goldens;
}

// The object of a vocab.json.
inline nlohmann::json golden_tokens() {
  nlohmann::json ids;
  for (const auto& token : byte_pair_goldens()["tokens"]) ids.emplace(token.get<std::string>(), ids.size());
  return ids;
}

// The lines of a merges.txt.
inline std::string golden_merges() {
  std::string lines = "#version: 0.2\n";
  for (const auto& merge : byte_pair_goldens()["merges"])
    lines += merge[0].get<std::string>() + " " + merge[1].get<std::string>() + "\n";
  return lines;
}

// A tokenizer.json as Transformers writes it, with merges as pairs.
inline nlohmann::json golden_tokenizer() {
  const nlohmann::json tokens = golden_tokens();
  return {{"added_tokens", {{{"id", tokens["<|endoftext|>"]}, {"content", "<|endoftext|>"}, {"special", true}}}},
          {"normalizer", nullptr},
          {"pre_tokenizer", {{"type", "ByteLevel"}, {"add_prefix_space", false}, {"use_regex", true}}},
          {"post_processor",
           {{"type", "TemplateProcessing"}, {"single", nlohmann::json::array({{{"Sequence", {{"id", "A"}}}}})}}},
          {"decoder", {{"type", "ByteLevel"}}},
          {"model",
           {{"type", "BPE"},
            {"dropout", nullptr},
            {"unk_token", nullptr},
            {"continuing_subword_prefix", ""},
            {"end_of_word_suffix", ""},
            {"byte_fallback", false},
            {"ignore_merges", false},
            {"vocab", tokens},
            {"merges", byte_pair_goldens()["merges"]}}}};
}

template <class Content>
std::string write_to(const std::string& path, const Content& content) {
  std::ofstream(path, std::ios::binary) << content;
  return path;
}

}  // namespace phasor::test
