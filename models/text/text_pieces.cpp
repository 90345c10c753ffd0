#include "models/text/text_pieces.h"

#include <algorithm>

namespace phasor::text {

namespace {

constexpr std::string_view kDivider = "<|endoftext|>";

// Whether the character that ends before `byte` is no blank, and could be none. Of those of several bytes, blanks are
// among U+0080 to U+00BF and U+1000 to U+3FFF.
bool is_visible_before(std::string_view text, std::size_t byte) {
  constexpr std::size_t kMostBytes = 4;
  for (std::size_t back = 1; back <= std::min(byte, kMostBytes); ++back) {
    const auto lead = static_cast<unsigned char>(text[byte - back]);
    if (lead < 0x80) return back == 1 && lead > ' ' && lead < 0x7F;
    if (lead >= 0xC0) return lead != 0xC2 && (lead < 0xE1 || lead > 0xE3);
  }
  return false;
}

// The first place behind `from` where TextEncoder allows to cut, or the end.
std::size_t find_cut(std::string_view text, std::size_t from) {
  for (std::size_t byte = text.find_first_of(" \n", from); byte != text.npos;
       byte = text.find_first_of(" \n", byte + 1)) {
    if (is_visible_before(text, byte)) return byte;
  }
  return text.size();
}

void cut_document(const TextFile& file, std::string_view document, std::size_t bytes, std::vector<TextPiece>& pieces) {
  while (document.size() > bytes) {
    const std::size_t cut = find_cut(document, bytes);
    if (cut == document.size()) break;
    pieces.push_back({.file = &file, .text = document.substr(0, cut)});
    document.remove_prefix(cut);
  }
  pieces.push_back({.file = &file, .text = document, .ends_document = true});
}

}  // namespace

std::vector<TextPiece> cut_text(const TextFile& file, std::size_t bytes) {
  std::vector<TextPiece> pieces;
  std::string_view rest = file.content->text();
  while (!rest.empty()) {
    const bool plain = file.kind == TextKind::plain;
    const std::string_view divider = plain ? kDivider : "\n";
    const std::size_t end = std::min(rest.find(divider, plain ? 0 : std::min(bytes, rest.size()) - 1), rest.size());
    const std::string_view part = rest.substr(0, end);
    rest.remove_prefix(std::min(end + divider.size(), rest.size()));
    if (!plain) {
      pieces.push_back({.file = &file, .text = part});
    } else if (part.find_first_not_of(" \t\r\n\f\v") != part.npos) {
      cut_document(file, part, bytes, pieces);
    }
  }
  return pieces;
}

}  // namespace phasor::text
