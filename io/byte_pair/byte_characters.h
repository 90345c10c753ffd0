// How files write the bytes of a token: GPT-2 gives each byte a printable character, so that its files are text.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace phasor::io {

// The byte's character in UTF-8. Bytes 33 to 126, 161 to 172 and 174 to 255 have the characters of the same number, the
// other 68, in their order, U+0100 and those behind it: a blank is U+0120, a line feed U+010A.
std::string byte_character(unsigned char byte);

// The bytes that the characters of `name`, which is valid UTF-8, stand for; none if one of them stands for no byte.
std::optional<std::string> bytes_of_characters(std::string_view name);

}  // namespace phasor::io
