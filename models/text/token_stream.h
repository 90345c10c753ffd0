// All tokens of all files, one behind the other, and where documents end among them. A view: it holds the files where
// the system has them, and copies of it, and parts, share them.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "io/token_files/token_file.h"

namespace phasor::text {

class TokenStream {
 public:
  // Behind what is there.
  void add(const io::TokenFile& file);

  std::int64_t size() const { return document_ends_.empty() ? 0 : document_ends_.back(); }
  // One behind the last token of each document, ascending: no document is empty.
  std::span<const std::int64_t> document_ends() const { return document_ends_; }

  // Tokens [first, first + to.size()).
  void copy(std::int64_t first, std::span<std::int32_t> to) const;

  // Tokens [first, end), one at least. A document that reaches over a border is cut there.
  TokenStream part(std::int64_t first, std::int64_t end) const;

  // A token that is none of 0 .. vocabulary - 1 is a UserError that names its file. Reads all tokens, in parallel.
  void check_vocabulary(std::int64_t vocabulary) const;

  // 32 hexadecimal digits that follow from the tokens in their order alone, whatever files and types they are in. Reads
  // all tokens, in parallel.
  std::string sum() const;

 private:
  struct Part {
    std::string path;
    io::TokenSpan tokens;
    std::shared_ptr<const void> mapping;
    bool shard = false;
    std::int64_t first = 0;  // of the stream
    std::int64_t first_in_file = 0;
  };
  // The part that has the token.
  std::vector<Part>::const_iterator part_of(std::int64_t token) const;

  std::vector<Part> parts_;
  std::vector<std::int64_t> document_ends_;
};

}  // namespace phasor::text
