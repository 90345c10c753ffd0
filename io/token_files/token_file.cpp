#include "io/token_files/token_file.h"

#include <filesystem>
#include <optional>

#include "io/files/mapped_file.h"
#include "io/token_files/llm_c_tokens.h"
#include "io/token_files/megatron_index.h"

namespace phasor::io {

namespace {

constexpr std::string_view kSubject = "tokens";

std::string index_beside(const std::string& path) {
  return std::filesystem::path(path).replace_extension(".idx").string();
}

void read_megatron(const MappedFile& file, const std::string& index_path, TokenFile& result) {
  const MappedFile index_file(kSubject, index_path);
  MegatronIndex index = read_megatron_index(index_path, index_file.bytes());
  const std::int64_t expected = index.tokens * size_of(index.type);
  check(std::ssize(file.bytes()) == expected, "tokens: '{}' has {} bytes, expected {} for the {} tokens of '{}'",
        result.path, file.bytes().size(), expected, index.tokens, index_path);
  result.tokens = TokenSpan(index.type, file.bytes());
  result.document_ends = std::move(index.document_ends);
}

void read_nano_gpt(const MappedFile& file, std::int32_t end_of_text, TokenFile& result) {
  check(file.bytes().size() % 2 == 0,
        "tokens: '{}' has {} bytes, an odd number, and neither llm.c's header nor an index '{}': expected tokens of 16 "
        "bits",
        result.path, file.bytes().size(), index_beside(result.path));
  result.tokens = TokenSpan(TokenType::u16, file.bytes());
  result.document_ends = find_document_ends(result.tokens, end_of_text, EndOfText::after);
}

}  // namespace

TokenFile open_token_file(const std::string& path, std::int32_t end_of_text) {
  const auto file = std::make_shared<const MappedFile>(kSubject, path);
  TokenFile result{.path = path, .mapping = file};
  const std::string index = index_beside(path);
  if (std::filesystem::exists(index)) {
    read_megatron(*file, index, result);
  } else if (const std::optional<TokenSpan> tokens = read_llm_c_tokens(path, file->bytes())) {
    result.tokens = *tokens;
    result.document_ends = find_document_ends(*tokens, end_of_text, EndOfText::before);
    result.shard = true;
    result.continues = end_of_text >= 0 && tokens->size() > 0 && tokens->at(0) != end_of_text;
  } else {
    read_nano_gpt(*file, end_of_text, result);
  }
  check(result.tokens.size() > 0, "tokens: '{}' has no tokens", path);
  return result;
}

}  // namespace phasor::io
