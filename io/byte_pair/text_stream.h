// The text of tokens that come one at a time, to be printed as they come.
#pragma once

#include <cstdint>
#include <string>

#include "io/byte_pair/byte_pair_encoding.h"

namespace phasor::io {

// A token may end inside a character, of which nothing is given out before it is whole. All that is given out, one
// after the other, is what decode() gives of all tokens: bytes that are no character at all stay as they are, and
// replace_invalid_utf8() may be applied to each part.
class TextStream {
 public:
  explicit TextStream(const BytePairEncoding& encoding) : encoding_(encoding) {}  // which must outlive this

  // What the token completes, perhaps nothing.
  std::string add(std::int32_t id);

  // What is left when no token comes any more: the beginning of a character, or nothing. Another text may follow.
  std::string finish();

 private:
  const BytePairEncoding& encoding_;
  std::string held_;  // fewer than 4 bytes
};

}  // namespace phasor::io
