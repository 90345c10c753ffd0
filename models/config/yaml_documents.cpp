#include "models/config/yaml_documents.h"

#include <algorithm>

namespace phasor::run {

namespace {

constexpr std::string_view kBlank = " \t\r";

bool is_marker(std::string_view line, std::string_view marker) {
  return line.starts_with(marker) && (line.size() == marker.size() || kBlank.find(line[marker.size()]) != kBlank.npos);
}

// Whether there is more on the line than blanks and a comment.
bool says_something(std::string_view line) {
  const std::size_t first = line.find_first_not_of(kBlank);
  return first != line.npos && line[first] != '#';
}

}  // namespace

int line_of_second_document(std::string_view yaml) {
  constexpr std::string_view kBegin = "---", kEnd = "...";
  bool has_first = false, first_ended = false;
  int number = 0;
  for (std::size_t begin = 0; begin <= yaml.size();) {
    const std::size_t end = std::min(yaml.find('\n', begin), yaml.size());
    std::string_view line = yaml.substr(begin, end - begin);
    begin = end + 1;
    ++number;
    const bool begins = is_marker(line, kBegin), ends = is_marker(line, kEnd);
    if (begins || ends) {
      first_ended = first_ended || has_first || ends;
      line.remove_prefix(kBegin.size());
    }
    const bool is_directive = line.starts_with('%') && (first_ended || !has_first);
    if (is_directive || !says_something(line)) continue;
    if (first_ended) return number;
    has_first = true;
  }
  return 0;
}

}  // namespace phasor::run
