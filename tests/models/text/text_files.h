// Files of text for one test.
#pragma once

#include "models/text/text_pieces.h"
#include "tests/io/token_files/token_bytes.h"

namespace phasor::test {

inline text::TextFile text_file(const std::string& path, const std::string& content) {
  write_bytes(path, content);
  return {.path = path,
          .kind = path.ends_with(".jsonl") ? text::TextKind::json_lines : text::TextKind::plain,
          .content = std::make_shared<const io::MappedFile>("text", path)};
}

}  // namespace phasor::test
