// Long contexts are cut into windows that overlap, so that every answer lies whole in at least one of them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace phasor::squad {

// Tokens [begin, end) of something.
struct Window {
  std::int64_t begin = 0;
  std::int64_t end = 0;

  friend bool operator==(const Window&, const Window&) = default;
};

// How many windows of at most `room` tokens cover `length` tokens when neighbours share `overlap` of them; at least
// one, which is empty for length 0. The last one ends with the context. Needs 0 <= overlap < room.
std::int64_t count_windows(std::int64_t length, std::int64_t room, std::int64_t overlap);
Window window_at(std::int64_t index, std::int64_t length, std::int64_t room, std::int64_t overlap);

// The first and the last token of the answer in characters [begin, end), both inclusive and counted as `begins` and
// `ends` are: the characters of each token of the window. {-1, -1} if a part of the answer lies outside the window. An
// answer that begins or ends inside a token takes the whole token.
struct TokenSpan {
  std::int64_t first = -1;
  std::int64_t last = -1;

  friend bool operator==(const TokenSpan&, const TokenSpan&) = default;
};
TokenSpan find_answer(std::span<const std::int32_t> begins, std::span<const std::int32_t> ends, std::int64_t begin,
                      std::int64_t end);

}  // namespace phasor::squad
