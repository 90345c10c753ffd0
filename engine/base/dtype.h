// Element types of tensors.
#pragma once

#include <cstdint>
#include <string_view>

#include "engine/base/bfloat16.h"

namespace phasor {

enum class DType : std::uint8_t { f32, bf16, i32, i64, u8 };

constexpr std::int64_t size_of(DType type) {
  switch (type) {
    case DType::u8:
      return 1;
    case DType::bf16:
      return 2;
    case DType::f32:
    case DType::i32:
      return 4;
    case DType::i64:
      return 8;
  }
  return 0;
}

// Whether elements of the type are real numbers, which arithmetic rounds.
constexpr bool is_real(DType type) { return type == DType::f32 || type == DType::bf16; }

constexpr std::string_view name_of(DType type) {
  switch (type) {
    case DType::f32:
      return "f32";
    case DType::bf16:
      return "bf16";
    case DType::i32:
      return "i32";
    case DType::i64:
      return "i64";
    case DType::u8:
      return "u8";
  }
  return "?";
}

template <class T>
inline constexpr DType dtype_of = DType::f32;
template <>
inline constexpr DType dtype_of<bfloat16> = DType::bf16;
template <>
inline constexpr DType dtype_of<std::int32_t> = DType::i32;
template <>
inline constexpr DType dtype_of<std::int64_t> = DType::i64;
template <>
inline constexpr DType dtype_of<std::uint8_t> = DType::u8;

}  // namespace phasor
