// Text to the pieces that tokens do not cross, as GPT-2's regular expression cuts it:
//   's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
#pragma once

#include <cstddef>
#include <string_view>

namespace phasor::io {

// The bytes of the first piece of `text`, which is not empty; 1 at least. Takes time linear in them. \s is Unicode's
// White_Space. What is not UTF-8 counts as U+FFFD would, as neither letter, number nor space, and keeps its bytes: the
// pieces are those of replace_invalid_utf8(text).
std::size_t first_piece(std::string_view text);

}  // namespace phasor::io
