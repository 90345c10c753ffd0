#include "models/cli/text/excerpt.h"

#include <algorithm>

#include "io/text/utf8.h"

namespace phasor::cli {

namespace {
// All but those of `kept` become spaces.
std::string without_controls(std::string_view text, std::string_view kept) {
  std::string result;
  for (std::size_t byte = 0; byte < text.size();) {
    const bool stays = kept.find(text[byte]) != kept.npos;
    const char32_t c = io::next_code_point(text, byte);
    const bool control = c < 0x20 || (c >= 0x7F && c < 0xA0) || c == 0x2028 || c == 0x2029;
    io::append_utf8(control && !stays ? U' ' : c, result);
  }
  return result;
}
}  // namespace

Excerpt make_excerpt(std::string_view context, std::int64_t begin, std::int64_t end, std::int64_t room) {
  constexpr std::string_view kCut = "…";
  const std::int64_t characters = io::count_code_points(context);
  Excerpt excerpt;
  excerpt.answer = printable(io::slice_code_points(context, begin, end));

  const std::int64_t first = std::max<std::int64_t>(0, begin - room);
  excerpt.before = printable(io::slice_code_points(context, first, begin));
  if (first > 0) {
    // Begins behind a space, unless that would leave next to nothing.
    const std::size_t space = excerpt.before.find(' ');
    if (space < excerpt.before.size() / 2) excerpt.before.erase(0, space + 1);
    excerpt.before.insert(0, kCut);
  }
  const std::int64_t last = std::min(characters, end + room);
  excerpt.after = printable(io::slice_code_points(context, end, last));
  if (last < characters) {
    const std::size_t space = excerpt.after.rfind(' ');
    if (space != std::string::npos && space > excerpt.after.size() / 2) excerpt.after.erase(space);
    excerpt.after += kCut;
  }
  return excerpt;
}

std::string printable(std::string_view text) { return without_controls(text, ""); }
std::string printable_lines(std::string_view text) { return without_controls(text, "\n\t"); }

}  // namespace phasor::cli
