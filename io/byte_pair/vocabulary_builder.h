// The tokens and merges that files name, checked, and made into ids and bytes.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <unordered_map>

#include "io/byte_pair/byte_pair_vocabulary.h"

namespace phasor::io {

// Every function throws a UserError of one line for what does not fit what came before.
class VocabularyBuilder {
 public:
  // Where a merge stands: "'merges.txt' line 5".
  struct Place {
    const std::string& path;
    const char* unit;
    std::size_t number;
  };

  // `path` is the file that the tokens come from; their ids are below `most`.
  VocabularyBuilder(const std::string& path, std::size_t most);

  // First all tokens: those that were added to a vocabulary, which are the text that they are written as, then those
  // whose name has a character for each byte.
  void add_text(const std::string& text, const nlohmann::json& id);
  void add_token(const std::string& name, const nlohmann::json& id);
  void end_tokens();

  // Then the merges by rank: two names with a blank between them, or each by itself.
  void add_merge(const Place& place, std::string_view names);
  void add_merge(const Place& place, const std::string& left, const std::string& right);

  BytePairVocabulary take() { return std::move(vocabulary_); }

 private:
  void put(const std::string& name, std::string bytes, const nlohmann::json& id);
  std::int32_t find(const Place& place, const char* verb, const std::string& name) const;

  const std::string& path_;
  std::unordered_map<std::string, std::int32_t> ids_;            // by name
  std::unordered_map<std::uint64_t, std::size_t> merge_places_;  // by left and right
  BytePairVocabulary vocabulary_;
};

}  // namespace phasor::io
