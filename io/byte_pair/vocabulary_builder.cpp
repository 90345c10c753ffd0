#include "io/byte_pair/vocabulary_builder.h"

#include <algorithm>

#include "engine/base/error.h"
#include "io/byte_pair/byte_characters.h"
#include "io/json/json_number.h"
#include "io/json/json_text.h"

namespace phasor::io {

VocabularyBuilder::VocabularyBuilder(const std::string& path, std::size_t most) : path_(path) {
  vocabulary_.tokens.resize(most);
  ids_.reserve(most);
}

void VocabularyBuilder::add_text(const std::string& text, const nlohmann::json& id) { put(text, text, id); }

void VocabularyBuilder::add_token(const std::string& name, const nlohmann::json& id) {
  const auto added = ids_.find(name);
  if (added != ids_.end()) {
    check(id == added->second, "vocab: '{}' gives token '{}' the ids {} and {}", path_, shown(name), added->second,
          shown(id.dump()));
    return;
  }
  std::optional<std::string> bytes = bytes_of_characters(name);
  check(bytes.has_value(),
        "vocab: '{}' has the token '{}', with a character that stands for no byte. Is this a byte-level vocabulary?",
        path_, shown(name));
  put(name, std::move(*bytes), id);
}

void VocabularyBuilder::put(const std::string& name, std::string bytes, const nlohmann::json& id) {
  const auto place = whole_number<std::int32_t>(id);
  const auto most = std::ssize(vocabulary_.tokens);
  check(place.has_value() && *place < most,
        "vocab: '{}' gives token '{}' the id {}, expected one below {}, their number", path_, shown(name),
        shown(id.dump()), most);
  check(!name.empty(), "vocab: '{}' has a token of id {} that is empty", path_, *place);
  std::string& token = vocabulary_.tokens[static_cast<std::size_t>(*place)];
  check(token.empty(), "vocab: '{}' gives id {} to two tokens, one of them '{}'", path_, *place, shown(name));
  token = std::move(bytes);
  check(ids_.emplace(name, *place).second, "vocab: '{}' has the token '{}' twice", path_, shown(name));
}

void VocabularyBuilder::end_tokens() {
  // Added tokens repeat some of the vocabulary, so that places at the end may be left over.
  std::vector<std::string>& tokens = vocabulary_.tokens;
  while (!tokens.empty() && tokens.back().empty()) tokens.pop_back();
  const auto gap = std::ranges::find(tokens, "");
  check(gap == tokens.end(), "vocab: '{}' has no token of id {}, though larger ones", path_, gap - tokens.begin());
  for (std::size_t byte = 0; byte < vocabulary_.byte_tokens.size(); ++byte) {
    const std::string name = byte_character(static_cast<unsigned char>(byte));
    const auto found = ids_.find(name);
    check(found != ids_.end(), "vocab: '{}' has no token '{}', for byte {}. Is this a byte-level vocabulary?", path_,
          name, byte);
    vocabulary_.byte_tokens[byte] = found->second;
  }
  const auto end_of_text = ids_.find(std::string(BytePairVocabulary::kEndOfText));
  if (end_of_text != ids_.end()) vocabulary_.end_of_text = end_of_text->second;
}

void VocabularyBuilder::add_merge(const Place& place, std::string_view names) {
  const std::size_t blank = names.find(' ');
  const bool two = blank != names.npos && blank > 0 && blank + 1 < names.size() && names.rfind(' ') == blank;
  check(two, "vocab: '{}' {} {} is '{}', expected two tokens with a blank between them", place.path, place.unit,
        place.number, shown(names));
  add_merge(place, std::string(names.substr(0, blank)), std::string(names.substr(blank + 1)));
}

void VocabularyBuilder::add_merge(const Place& place, const std::string& left, const std::string& right) {
  const BytePairMerge merge = {find(place, "merges", left), find(place, "merges", right),
                               find(place, "makes", left + right)};
  const auto pair = static_cast<std::uint64_t>(merge.left) << 32 | static_cast<std::uint32_t>(merge.right);
  const auto [first, fresh] = merge_places_.emplace(pair, place.number);
  check(fresh, "vocab: '{}' {} {} repeats the merge '{} {}' of {} {}", place.path, place.unit, place.number,
        shown(left), shown(right), place.unit, first->second);
  vocabulary_.merges.push_back(merge);
}

std::int32_t VocabularyBuilder::find(const Place& place, const char* verb, const std::string& name) const {
  const auto found = ids_.find(name);
  check(found != ids_.end(), "vocab: '{}' {} {} {} '{}', which is no token of '{}'", place.path, place.unit,
        place.number, verb, shown(name), path_);
  return found->second;
}

}  // namespace phasor::io
