// Files of text, and the pieces of them that are tokenised side by side.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "io/files/mapped_file.h"

namespace phasor::text {

enum class TextKind : std::uint8_t {
  plain,       // documents are divided by <|endoftext|>, as it is written here
  json_lines,  // a document a line (io/datasets/json_lines.h)
};

struct TextFile {
  std::string path;
  TextKind kind = TextKind::plain;
  std::shared_ptr<const io::MappedFile> content;
};

struct TextPiece {
  const TextFile* file = nullptr;
  std::string_view text;       // a part of a document of plain text; else whole lines
  bool ends_document = false;  // of plain text
};

// Pieces of `bytes` each or a little more, as far as the text has places to cut it. They follow from the text alone.
// Documents keep all of their bytes; those of plain text that are blank are left out.
std::vector<TextPiece> cut_text(const TextFile& file, std::size_t bytes);

}  // namespace phasor::text
