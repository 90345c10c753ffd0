// Streams of tokens that can be told by looking.
#pragma once

#include "models/text/token_stream.h"
#include "tests/io/token_files/token_bytes.h"

namespace phasor::test {

// Tokens of type T, as if from a file.
template <class T>
io::TokenFile tokens_of(io::TokenType type, const Ids& ids, const Ids& document_ends) {
  const auto bytes = std::make_shared<std::vector<T>>(ids.begin(), ids.end());
  return {.path = "made.bin",
          .tokens = io::TokenSpan(type, std::as_bytes(std::span(*bytes))),
          .mapping = bytes,
          .document_ends = document_ends};
}

// Tokens 0, 1, 2, ... of documents of these lengths.
inline text::TokenStream counted(const Ids& lengths) {
  Ids ends(lengths.size());
  std::inclusive_scan(lengths.begin(), lengths.end(), ends.begin());
  Ids ids(static_cast<std::size_t>(ends.empty() ? 0 : ends.back()));
  std::iota(ids.begin(), ids.end(), 0);
  text::TokenStream stream;
  stream.add(tokens_of<std::int32_t>(io::TokenType::i32, ids, ends));
  return stream;
}

inline std::vector<std::int32_t> all_tokens(const text::TokenStream& stream) {
  std::vector<std::int32_t> ids(static_cast<std::size_t>(stream.size()));
  stream.copy(0, ids);
  return ids;
}

inline Ids ends_of(const text::TokenStream& stream) {
  return {stream.document_ends().begin(), stream.document_ends().end()};
}

}  // namespace phasor::test
