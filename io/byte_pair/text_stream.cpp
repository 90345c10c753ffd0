#include "io/byte_pair/text_stream.h"

#include <utility>

#include "io/text/utf8.h"

namespace phasor::io {

std::string TextStream::add(std::int32_t id) {
  std::string text = std::exchange(held_, {});
  text += encoding_.bytes(id);
  const std::size_t whole = text.size() - unfinished_utf8_bytes(text);
  held_ = text.substr(whole);
  text.resize(whole);
  return text;
}

std::string TextStream::finish() { return std::exchange(held_, {}); }

}  // namespace phasor::io
