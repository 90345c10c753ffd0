#include "models/text/token_store.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "engine/base/error.h"
#include "io/files/mapped_file.h"

namespace phasor::text {

namespace {

struct StoreNumbers {
  std::array<char, 8> magic = {'p', 'h', 'a', 's', 'o', 'r', 'T', 'K'};
  std::uint64_t token_bytes = 0, tokens = 0, documents = 0;
};
constexpr std::size_t kSumBytes = 32, kHeaderBytes = sizeof(StoreNumbers) + kSumBytes;
constexpr std::int64_t kNarrowVocabulary = 1 << 16;

std::size_t padding_behind(std::uint64_t bytes) { return static_cast<std::size_t>(-bytes % 8); }

std::span<const std::byte> bytes_of(const StoreNumbers& numbers) { return std::as_bytes(std::span(&numbers, 1)); }

}  // namespace

TokenStoreWriter::TokenStoreWriter(std::string path, std::int64_t vocab_size)
    : path_(std::move(path)), file_(path_, std::ios::binary), narrow_(vocab_size <= kNarrowVocabulary) {
  file_.write(std::string(kHeaderBytes, '\0').data(), kHeaderBytes);
  check(file_.good(), "cache: '{}' cannot be written", path_);
}

void TokenStoreWriter::write(std::span<const std::byte> bytes) {
  sum_.add(bytes);
  file_.write(reinterpret_cast<const char*>(bytes.data()), std::ssize(bytes));
  check(file_.good(), "cache: '{}' cannot be written. Is the disk full?", path_);
}

void TokenStoreWriter::add(std::span<const std::int32_t> ids) {
  tokens_ += std::ssize(ids);
  if (!narrow_) return write(std::as_bytes(ids));
  narrow_ids_.resize(ids.size());
  std::ranges::transform(ids, narrow_ids_.begin(), [](std::int32_t id) { return static_cast<std::uint16_t>(id); });
  write(std::as_bytes(std::span(narrow_ids_)));
}

void TokenStoreWriter::finish(std::span<const std::int64_t> document_ends) {
  const StoreNumbers numbers{.token_bytes = narrow_ ? 2U : 4U,
                             .tokens = static_cast<std::uint64_t>(tokens_),
                             .documents = document_ends.size()};
  constexpr std::array<std::byte, 8> kZeros{};
  write(std::span(kZeros).first(padding_behind(numbers.tokens * numbers.token_bytes)));
  write(std::as_bytes(document_ends));
  file_.seekp(0);
  write(bytes_of(numbers));
  const std::string sum = sum_.text();
  file_.write(sum.data(), kSumBytes);
  file_.close();
  check(file_.good(), "cache: '{}' cannot be written. Is the disk full?", path_);
}

io::TokenFile open_token_store(const std::string& path) {
  const auto file = std::make_shared<const io::MappedFile>("cache", path);
  const std::span<const std::byte> bytes = file->bytes();
  StoreNumbers numbers;
  const auto check_whole = [&](bool whole) { check(whole, "cache: '{}' is damaged", path); };
  check_whole(bytes.size() >= kHeaderBytes);
  std::memcpy(&numbers, bytes.data(), sizeof(numbers));
  const std::span<const std::byte> content = bytes.subspan(kHeaderBytes);
  io::ContentSum sum;
  sum.add(content);
  sum.add(bytes_of(numbers));
  check_whole(file->text().substr(sizeof(numbers), kSumBytes) == sum.text());
  // The sum speaks for the numbers; that they are ours is left to see.
  const std::uint64_t token_bytes = numbers.tokens * numbers.token_bytes;
  const std::uint64_t padding = padding_behind(token_bytes);
  check_whole(numbers.magic == StoreNumbers{}.magic && (numbers.token_bytes == 2 || numbers.token_bytes == 4) &&
              content.size() == token_bytes + padding + numbers.documents * 8);
  const auto type = numbers.token_bytes == 2 ? io::TokenType::u16 : io::TokenType::i32;
  io::TokenFile tokens{.path = path, .tokens = io::TokenSpan(type, content.first(token_bytes)), .mapping = file};
  tokens.document_ends.resize(numbers.documents);
  if (numbers.documents > 0)
    std::memcpy(tokens.document_ends.data(), content.data() + token_bytes + padding, numbers.documents * 8);
  return tokens;
}

}  // namespace phasor::text
