// The index that Megatron puts beside a file of tokens, x.idx beside x.bin: how long its sequences are, and which of
// them make a document.
//
//   "MMIDIDX", two zero bytes, u64 version 1, u8 type, u64 sequences, u64 length of the list of documents
//   i32 tokens of each sequence, i64 its first byte in x.bin, i64 documents: the first sequence of each, and the end
//   i8 a mode of each sequence, which only some files have and nothing here reads
#pragma once

#include <string>
#include <vector>

#include "io/token_files/token_span.h"

namespace phasor::io {

struct MegatronIndex {
  TokenType type = TokenType::u16;
  std::int64_t tokens = 0;
  std::vector<std::int64_t> document_ends;  // as in find_document_ends; documents without tokens are left out
};

// Of `bytes`, the content of the file `path`. What is not as above, and sequences that do not lie one behind the other,
// is a UserError of one line. Memory is taken for what the file has, never for what it claims.
MegatronIndex read_megatron_index(const std::string& path, std::span<const std::byte> bytes);

}  // namespace phasor::io
