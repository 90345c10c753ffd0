#include "io/tokenizer/bert_characters.h"

#include <unicode/uchar.h>
#include <unicode/unorm2.h>
#include <unicode/utf16.h>

#include "engine/base/error.h"

namespace phasor::io {

namespace {

// General category as a mask. Transformers' tokenizer carries the tables of Unicode 8: characters that came later are
// neither marks nor punctuation to it, and these five have changed their category since.
std::uint32_t category(UChar32 c) {
  constexpr int kUnicode = 8;
  switch (c) {
    case 0x166D:
      return U_GC_PO_MASK;
    case 0x1734:
      return U_GC_MN_MASK;
    case 0x1885:
    case 0x1886:
      return U_GC_LO_MASK;
    case 0xA9BD:
      return U_GC_MC_MASK;
    default:
      break;
  }
  UVersionInfo age;
  u_charAge(c, age);
  return age[0] == 0 || age[0] > kUnicode ? U_GC_CN_MASK : U_GET_GC_MASK(c);
}

constexpr bool is_ascii_punctuation(UChar32 c) {
  return (c >= '!' && c <= '/') || (c >= ':' && c <= '@') || (c >= '[' && c <= '`') || (c >= '{' && c <= '~');
}

constexpr bool is_ideograph(UChar32 c) {
  constexpr UChar32 kBlocks[][2] = {{0x4E00, 0x9FFF},   {0x3400, 0x4DBF},   {0x20000, 0x2A6DF}, {0x2A700, 0x2B73F},
                                    {0x2B740, 0x2B81F}, {0x2B920, 0x2CEAF}, {0xF900, 0xFAFF},   {0x2F800, 0x2FA1F}};
  for (const auto& [first, last] : kBlocks) {
    if (c >= first && c <= last) return true;
  }
  return false;
}

bool is_space(UChar32 c) { return c == '\t' || c == '\n' || c == '\r' || u_isUWhiteSpace(c); }

bool is_dropped(UChar32 c) {
  constexpr std::uint32_t kControl = U_GC_CC_MASK | U_GC_CF_MASK | U_GC_CO_MASK;
  if (c == '\t' || c == '\n' || c == '\r') return false;
  return c == 0 || c == 0xFFFD || (category(c) & kControl) != 0;
}

BertCharacter kind_of(UChar32 c) {
  const bool punctuation = is_ascii_punctuation(c) || (category(c) & U_GC_P_MASK) != 0;
  return punctuation ? BertCharacter::Punctuation : BertCharacter::Text;
}

const UNormalizer2* canonical_decomposition() {
  UErrorCode error = U_ZERO_ERROR;
  const UNormalizer2* normalizer = unorm2_getNFDInstance(&error);
  ensure(U_SUCCESS(error), "tokenizer: ICU has no canonical decomposition: {}", u_errorName(error));
  return normalizer;
}

}  // namespace

BertCharacter classify_ascii(unsigned char byte) {
  if (is_dropped(byte)) return BertCharacter::Dropped;
  if (is_space(byte)) return BertCharacter::Space;
  return kind_of(byte);
}

BertParts normalize_character(char32_t code_point) {
  static const UNormalizer2* const decomposition = canonical_decomposition();
  const auto c = static_cast<UChar32>(code_point);
  BertParts parts;
  if (is_dropped(c)) return parts;
  if (is_space(c)) {
    parts.kinds[0] = BertCharacter::Space;
    parts.count = 1;
    return parts;
  }
  parts.ideograph = is_ideograph(c);
  const auto add = [&](UChar32 part) {
    if ((category(part) & U_GC_MN_MASK) != 0) return;
    const UChar32 lower = u_tolower(part);
    parts.code_points[parts.count] = static_cast<char32_t>(lower);
    parts.kinds[parts.count++] = kind_of(lower);
  };
  std::array<UChar, 2 * BertParts::kMaxParts> units;
  UErrorCode error = U_ZERO_ERROR;
  const auto room = static_cast<std::int32_t>(units.size());
  const std::int32_t count = unorm2_getDecomposition(decomposition, c, units.data(), room, &error);
  ensure(U_SUCCESS(error), "tokenizer: U+{:04X} cannot be decomposed: {}", c, u_errorName(error));
  if (count < 0) add(c);  // nothing to decompose
  for (std::int32_t i = 0; i < count;) {
    UChar32 part;
    U16_NEXT(units, i, count, part);
    add(part);
  }
  return parts;
}

}  // namespace phasor::io
