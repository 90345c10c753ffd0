// Where documents end, in a file of tokens that does not list them.
#pragma once

#include <vector>

#include "io/token_files/token_span.h"

namespace phasor::io {

// Where programs put the token that stands between documents.
enum class EndOfText : std::uint8_t {
  after,   // behind each document, which it is the last token of
  before,  // in front of each, which it is the first token of
};

// One behind the last token of each document, ascending; the last is size(). Without such a token, which is what -1
// says, all is one document; where there are no tokens, there is none. In parallel.
std::vector<std::int64_t> find_document_ends(const TokenSpan& tokens, std::int32_t end_of_text, EndOfText where);

}  // namespace phasor::io
