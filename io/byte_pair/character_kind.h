// What Unicode 16.0 takes a character for. The version is part of the tokenizer: text of characters that came with a
// later one would be cut otherwise on machines with another ICU.
#pragma once

#include <cstdint>

namespace phasor::io {

enum class CharacterKind : std::uint8_t {
  Letter,  // general categories L*
  Number,  // N*
  Space,   // White_Space
  Other
};

CharacterKind kind_of_character(char32_t character);

}  // namespace phasor::io
