#include "io/byte_pair/byte_pair_encoding.h"

#include "engine/base/error.h"
#include "io/byte_pair/merging.h"
#include "io/byte_pair/text_pieces.h"
#include "io/files/content_sum.h"

namespace phasor::io {

namespace {

std::vector<std::int32_t> find_whole_tokens(const BytePairVocabulary& vocabulary, const MergeTable& merges) {
  std::vector<std::int32_t> whole, ids;
  for (std::int32_t id = 0; id < std::ssize(vocabulary.tokens); ++id) {
    ids.clear();
    merge_piece(vocabulary.tokens[static_cast<std::size_t>(id)], vocabulary.byte_tokens, merges, ids);
    if (ids.size() == 1 && ids[0] == id) whole.push_back(id);
  }
  return whole;
}

std::string sum_of(const BytePairVocabulary& vocabulary) {
  ContentSum sum;
  const auto add = [&](const std::string& token) {
    const std::uint64_t bytes = token.size();
    sum.add(std::as_bytes(std::span(&bytes, 1)));
    sum.add(std::as_bytes(std::span(token)));
  };
  for (const std::string& token : vocabulary.tokens) add(token);
  sum.add(std::as_bytes(std::span(vocabulary.merges)));
  sum.add(std::as_bytes(std::span(&vocabulary.end_of_text, 1)));
  return sum.text();
}

}  // namespace

BytePairEncoding BytePairEncoding::load(const std::string& path) {
  return BytePairEncoding(read_byte_pair_vocabulary(path));
}

BytePairEncoding::BytePairEncoding(BytePairVocabulary vocabulary)
    : vocabulary_(std::move(vocabulary)),
      merges_(vocabulary_.merges),
      whole_(vocabulary_.tokens, find_whole_tokens(vocabulary_, merges_)),
      fingerprint_(sum_of(vocabulary_)) {}

void BytePairEncoding::encode(std::string_view text, std::vector<std::int32_t>& ids) const {
  while (!text.empty()) {
    const std::string_view piece = text.substr(0, first_piece(text));
    text.remove_prefix(piece.size());
    if (const std::int32_t whole = whole_.find(piece); whole >= 0) {
      ids.push_back(whole);
    } else {
      merge_piece(piece, vocabulary_.byte_tokens, merges_, ids);
    }
  }
}

void BytePairEncoding::encode_with_end_of_text(std::string_view text, std::vector<std::int32_t>& ids) const {
  if (end_of_text() < 0) return encode(text, ids);
  while (true) {
    const std::size_t end = text.find(BytePairVocabulary::kEndOfText);
    encode(text.substr(0, end), ids);
    if (end == text.npos) return;
    ids.push_back(end_of_text());
    text.remove_prefix(end + BytePairVocabulary::kEndOfText.size());
  }
}

std::string_view BytePairEncoding::bytes(std::int32_t id) const {
  check(id >= 0 && id < vocab_size(), "tokenizer: there is no token {}, expected 0 to {}", id, vocab_size() - 1);
  return vocabulary_.tokens[static_cast<std::size_t>(id)];
}

std::string BytePairEncoding::decode(std::span<const std::int32_t> ids) const {
  std::string text;
  for (const std::int32_t id : ids) text += bytes(id);
  return text;
}

}  // namespace phasor::io
