// Tokens that were made of text, as a file that is mapped into memory.
//
//   "phasorTK", u64 bytes of a token (2 or 4), u64 tokens, u64 documents, 32 digits: the XXH3 of all but themselves
//   tokens, zeros up to a multiple of 8 bytes, u64 document ends (io/token_files/documents.h)
#pragma once

#include <fstream>
#include <span>
#include <string>

#include "io/files/content_sum.h"
#include "io/token_files/token_file.h"

namespace phasor::text {

class TokenStoreWriter {
 public:
  // In 16 bits where the vocabulary allows, else in 32. Throws UserError where the file cannot be written, as what
  // follows does.
  TokenStoreWriter(std::string path, std::int64_t vocab_size);
  void add(std::span<const std::int32_t> ids);
  void finish(std::span<const std::int64_t> document_ends);

 private:
  void write(std::span<const std::byte> bytes);

  std::string path_;
  std::ofstream file_;
  io::ContentSum sum_;
  bool narrow_;
  std::int64_t tokens_ = 0;
  std::vector<std::uint16_t> narrow_ids_;
};

// A file that was damaged in any way is a UserError.
io::TokenFile open_token_store(const std::string& path);

}  // namespace phasor::text
