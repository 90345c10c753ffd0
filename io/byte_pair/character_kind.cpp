#include "io/byte_pair/character_kind.h"

#include <algorithm>
#include <iterator>
#include <unicode/uchar.h>

namespace phasor::io {

namespace {

// Letters and numbers that came with Unicode 15.1 and 16.0: ICU may be of 15.0, or of a version after 16.0.
struct Range {
  char32_t first, last;
  CharacterKind kind;
};
constexpr std::uint8_t kOldestIcu = 15;
constexpr auto kLetter = CharacterKind::Letter, kNumber = CharacterKind::Number;
constexpr Range kNewer[] = {
    {0x1C89, 0x1C8A, kLetter},   {0xA7CB, 0xA7CD, kLetter},   {0xA7DA, 0xA7DC, kLetter},   {0x105C0, 0x105F3, kLetter},
    {0x10D40, 0x10D49, kNumber}, {0x10D4A, 0x10D65, kLetter}, {0x10D6F, 0x10D85, kLetter}, {0x10EC2, 0x10EC4, kLetter},
    {0x11380, 0x11389, kLetter}, {0x1138B, 0x1138B, kLetter}, {0x1138E, 0x1138E, kLetter}, {0x11390, 0x113B5, kLetter},
    {0x113B7, 0x113B7, kLetter}, {0x113D1, 0x113D1, kLetter}, {0x113D3, 0x113D3, kLetter}, {0x116D0, 0x116E3, kNumber},
    {0x11BC0, 0x11BE0, kLetter}, {0x11BF0, 0x11BF9, kNumber}, {0x13460, 0x143FA, kLetter}, {0x16100, 0x1611D, kLetter},
    {0x16130, 0x16139, kNumber}, {0x16D40, 0x16D6C, kLetter}, {0x16D70, 0x16D79, kNumber}, {0x18CFF, 0x18CFF, kLetter},
    {0x1CCF0, 0x1CCF9, kNumber}, {0x1E5D0, 0x1E5ED, kLetter}, {0x1E5F0, 0x1E5F0, kLetter}, {0x1E5F1, 0x1E5FA, kNumber},
    {0x2EBF0, 0x2EE5D, kLetter}};

CharacterKind kind_of_newer(char32_t character) {
  const Range* range = std::ranges::lower_bound(kNewer, character, {}, &Range::last);
  return range != std::end(kNewer) && range->first <= character ? range->kind : CharacterKind::Other;
}

}  // namespace

CharacterKind kind_of_character(char32_t character) {
  const auto c = static_cast<UChar32>(character);
  if (u_isUWhiteSpace(c)) return CharacterKind::Space;
  UVersionInfo age;
  u_charAge(c, age);
  if (age[0] == 0 || age[0] > kOldestIcu || (age[0] == kOldestIcu && age[1] > 0)) return kind_of_newer(character);
  const std::uint32_t category = U_GET_GC_MASK(c);
  if ((category & U_GC_L_MASK) != 0) return CharacterKind::Letter;
  return (category & U_GC_N_MASK) != 0 ? CharacterKind::Number : CharacterKind::Other;
}

}  // namespace phasor::io
