// The token files of llm.c: 256 numbers of 32 bits, of which the first three are the magic, the version and how many
// tokens follow.
//
//   magic 20240520, version 1   tokens of 16 bits
//   magic 20240801, version 7   tokens of 32 bits
#pragma once

#include <optional>
#include <string>

#include "io/token_files/token_span.h"

namespace phasor::io {

// The tokens of `bytes`, the content of the file `path`; nothing where they begin otherwise. A file of another version,
// of a model, or whose size is not what its header says is a UserError of one line.
std::optional<TokenSpan> read_llm_c_tokens(const std::string& path, std::span<const std::byte> bytes);

}  // namespace phasor::io
