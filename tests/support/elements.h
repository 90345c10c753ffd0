// The elements of a tensor of any type, outside of the device: reals as T, integers as they are.
#pragma once

#include <algorithm>
#include <complex>
#include <cstdint>
#include <vector>

#include "engine/base/tensor.h"

namespace phasor::test {

template <class T>
struct Elements {
  std::vector<T> reals;             // of an f32 or bf16 tensor
  std::vector<std::int32_t> ids;    // of an i32 tensor
  std::vector<std::int64_t> longs;  // of an i64 tensor
  std::vector<std::uint8_t> bytes;  // of a u8 tensor

  Elements() = default;
  explicit Elements(const TensorSpec& spec) {
    const auto count = static_cast<std::size_t>(spec.elements());
    switch (spec.dtype) {
      case DType::f32:
      case DType::bf16:
        reals.resize(count);
        break;
      case DType::i32:
        ids.resize(count);
        break;
      case DType::i64:
        longs.resize(count);
        break;
      case DType::u8:
        bytes.resize(count);
        break;
    }
  }

  template <class U>
  Elements<U> as() const {
    Elements<U> result;
    for (const T& value : reals) result.reals.push_back(static_cast<U>(value));
    result.ids = ids;
    result.longs = longs;
    result.bytes = bytes;
    return result;
  }

  friend bool operator==(const Elements&, const Elements&) = default;
};

template <class U, class T>
std::vector<Elements<U>> convert(const std::vector<Elements<T>>& all) {
  std::vector<Elements<U>> result;
  for (const Elements<T>& elements : all) result.push_back(elements.template as<U>());
  return result;
}

}  // namespace phasor::test
