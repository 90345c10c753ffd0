#include "models/fields/stage_ranges.h"

#include <charconv>
#include <string_view>

#include "engine/base/error.h"

namespace phasor::run {

namespace {

// Takes a number from the front of the text; -1: there is none.
int take_number(std::string_view& text) {
  int number = -1;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), number);
  if (result.ec != std::errc{}) return -1;
  text.remove_prefix(static_cast<std::size_t>(result.ptr - text.data()));
  return number;
}

}  // namespace

std::vector<int> parse_stage_ranges(const std::string& text) {
  std::string plain;
  for (const char c : text) {
    if (c != ' ' && c != '[' && c != ']') plain += c;
  }
  std::vector<int> begins;
  int next = 0;
  for (std::string_view rest = plain; !rest.empty();) {
    const int first = take_number(rest);
    int last = first;
    if (rest.starts_with('-')) {
      rest.remove_prefix(1);
      last = take_number(rest);
    }
    const bool goes_on = rest.starts_with(',');
    check(first >= 0 && last >= first && (goes_on || rest.empty()),
          "execution.pipeline.stages '{}' is no list of ranges; expected one as in '0-3, 4-7, 8'", text);
    check(first == next, "execution.pipeline.stages '{}': a part begins with instance {}, expected {}", text, first,
          next);
    begins.push_back(first);
    next = last + 1;
    if (goes_on) rest.remove_prefix(1);
  }
  if (!begins.empty()) begins.push_back(next);
  return begins;
}

}  // namespace phasor::run
