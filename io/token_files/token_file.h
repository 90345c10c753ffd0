// Files of tokens that other programs made, of which the name ends in .bin: where x.idx lies beside x.bin, Megatron's;
// with llm.c's numbers at their beginning, llm.c's; else as nanoGPT has them, tokens of 16 bits and nothing else.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "io/token_files/documents.h"

namespace phasor::io {

struct TokenFile {
  std::string path;
  TokenSpan tokens;                         // where the system has the file, of any size; one at least
  std::shared_ptr<const void> mapping;      // keeps them there
  std::vector<std::int64_t> document_ends;  // as in find_document_ends
  // llm.c cuts its shards anywhere: the last document may go on in the next shard, whose first `continues` then, since
  // documents begin with the token between them.
  bool shard = false, continues = false;
};

// A file that is not what it seems to be, down to its size, is a UserError of one line. `end_of_text`: the token
// between documents, which only files without an index are asked for; -1: none.
TokenFile open_token_file(const std::string& path, std::int32_t end_of_text);

}  // namespace phasor::io
