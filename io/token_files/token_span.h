// Tokens where they lie, a file mapped into memory or a list, in the type that they were stored in.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "engine/base/error.h"

namespace phasor::io {

enum class TokenType : std::uint8_t { u8, i8, u16, i16, u32, i32, i64 };
std::int64_t size_of(TokenType type);  // bytes

class TokenSpan {
 public:
  TokenSpan() = default;
  // All of `bytes`, whole elements, the lowest byte of each first. They begin at a multiple of an element's bytes.
  TokenSpan(TokenType type, std::span<const std::byte> bytes);

  std::int64_t size() const { return size_; }
  TokenType type() const { return type_; }
  TokenSpan subspan(std::int64_t first, std::int64_t count) const;

  // Tokens [first, first + to.size()), which must be those of a vocabulary (find_foreign_token).
  void copy(std::int64_t first, std::span<std::int32_t> to) const;
  // As stored, whatever it is.
  std::int64_t at(std::int64_t index) const;

  // body(std::span<const T>) of all elements in their own type; returns what it returns.
  template <class Body>
  auto visit(Body body) const {
    switch (type_) {
      case TokenType::u8:
        return body(elements<std::uint8_t>());
      case TokenType::i8:
        return body(elements<std::int8_t>());
      case TokenType::u16:
        return body(elements<std::uint16_t>());
      case TokenType::i16:
        return body(elements<std::int16_t>());
      case TokenType::u32:
        return body(elements<std::uint32_t>());
      case TokenType::i32:
        return body(elements<std::int32_t>());
      case TokenType::i64:
        return body(elements<std::int64_t>());
    }
    throw InternalError("tokens: no such type");
  }

 private:
  template <class T>
  std::span<const T> elements() const {
    return {reinterpret_cast<const T*>(data_), static_cast<std::size_t>(size_)};
  }

  TokenType type_ = TokenType::i32;
  const std::byte* data_ = nullptr;
  std::int64_t size_ = 0;
};

// The first token that is none of 0 .. vocabulary - 1, or size(). In parallel.
std::int64_t find_foreign_token(const TokenSpan& tokens, std::int64_t vocabulary);

}  // namespace phasor::io
