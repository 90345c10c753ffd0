// An answer in its context, for a terminal.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace phasor::cli {

struct Excerpt {
  std::string before, answer, after;
};

// The answer, code points [begin, end) of `context`, and about `room` code points on each side of it, cut between words
// where there are any; "…" stands where something was cut. What a terminal would obey, control characters and line
// ends, becomes spaces. `context` must be valid UTF-8.
Excerpt make_excerpt(std::string_view context, std::int64_t begin, std::int64_t end, std::int64_t room);

// `text` with every control character made a space.
std::string printable(std::string_view text);
// The same, but line ends and tabs stay.
std::string printable_lines(std::string_view text);

}  // namespace phasor::cli
