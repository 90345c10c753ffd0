#include "io/token_files/token_span.h"

#include <algorithm>
#include <bit>
#include <vector>

#include "engine/base/parallel.h"

namespace phasor::io {

static_assert(std::endian::native == std::endian::little, "tokens are read as files have them");

std::int64_t size_of(TokenType type) {
  switch (type) {
    case TokenType::u8:
    case TokenType::i8:
      return 1;
    case TokenType::u16:
    case TokenType::i16:
      return 2;
    case TokenType::u32:
    case TokenType::i32:
      return 4;
    case TokenType::i64:
      return 8;
  }
  throw InternalError("tokens: no such type");
}

TokenSpan::TokenSpan(TokenType type, std::span<const std::byte> bytes)
    : type_(type), data_(bytes.data()), size_(std::ssize(bytes) / size_of(type)) {
  const auto address = reinterpret_cast<std::uintptr_t>(data_);
  ensure(std::ssize(bytes) % size_of(type) == 0 && address % static_cast<std::uintptr_t>(size_of(type)) == 0,
         "tokens: {} bytes at {} of {} each", bytes.size(), address, size_of(type));
}

TokenSpan TokenSpan::subspan(std::int64_t first, std::int64_t count) const {
  ensure(first >= 0 && count >= 0 && first + count <= size_, "tokens: {} from {} of {}", count, first, size_);
  TokenSpan part = *this;
  part.data_ += first * size_of(type_);
  part.size_ = count;
  return part;
}

void TokenSpan::copy(std::int64_t first, std::span<std::int32_t> to) const {
  ensure(first >= 0 && first + std::ssize(to) <= size_, "tokens: {} from {} of {}", to.size(), first, size_);
  visit([&](auto tokens) {
    std::ranges::transform(tokens.subspan(static_cast<std::size_t>(first), to.size()), to.begin(),
                           [](auto token) { return static_cast<std::int32_t>(token); });
  });
}

std::int64_t TokenSpan::at(std::int64_t index) const {
  ensure(index >= 0 && index < size_, "tokens: {} of {}", index, size_);
  return visit([&](auto tokens) { return static_cast<std::int64_t>(tokens[static_cast<std::size_t>(index)]); });
}

std::int64_t find_foreign_token(const TokenSpan& tokens, std::int64_t vocabulary) {
  constexpr std::int64_t kPiece = 1 << 20;
  std::vector<std::int64_t> found(static_cast<std::size_t>((tokens.size() + kPiece - 1) / kPiece));
  parallel_for(std::ssize(found), [&](std::int64_t piece) {
    const std::int64_t first = piece * kPiece, count = std::min(kPiece, tokens.size() - first);
    const TokenSpan part = tokens.subspan(first, count);
    found[static_cast<std::size_t>(piece)] = part.visit([&](auto elements) {
      // Without a way out of the loop, which compiles to a few instructions for many tokens.
      bool foreign = false;
      const auto is_foreign = [=](auto token) {
        return static_cast<std::uint64_t>(token) >= static_cast<std::uint64_t>(vocabulary);
      };
      for (const auto token : elements) foreign |= is_foreign(token);
      return foreign ? first + (std::ranges::find_if(elements, is_foreign) - elements.begin()) : tokens.size();
    });
  });
  const auto first = std::ranges::find_if(found, [&](std::int64_t index) { return index < tokens.size(); });
  return first == found.end() ? tokens.size() : *first;
}

}  // namespace phasor::io
