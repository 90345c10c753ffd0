// Memory as kernels expect it, starting at a cache line.
#pragma once

#include <cmath>
#include <complex>
#include <cstring>
#include <span>
#include <vector>

#include "engine/base/tensor.h"

namespace phasor::test {

template <class T>
struct AlignedAllocator {
  using value_type = T;
  AlignedAllocator() = default;
  template <class U>
  explicit AlignedAllocator(const AlignedAllocator<U>&) {}
  T* allocate(std::size_t n) { return static_cast<T*>(::operator new (n * sizeof(T), std::align_val_t{kAlignment})); }
  void deallocate(T* data, std::size_t) { ::operator delete (data, std::align_val_t{kAlignment}); }
  friend bool operator==(AlignedAllocator, AlignedAllocator) { return true; }
};

template <class T>
using Buffer = std::vector<T, AlignedAllocator<T>>;
using Floats = Buffer<float>;
using Doubles = std::vector<double>;
using Ids = std::vector<std::int32_t>;

// The same numbers in double (or complex double), for a reference kernel.
template <class T = double>
std::vector<T> widen(std::span<const float> x) {
  return std::vector<T>(x.begin(), x.end());
}

inline Floats absolute(Floats x) {
  for (float& value : x) value = std::abs(value);
  return x;
}

// Equal as bytes: -0 differs from 0, and a NaN equals itself.
inline bool same_bits(std::span<const float> a, std::span<const float> b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size_bytes()) == 0);
}

// One after the other, to compare all results of a kernel at once.
inline Floats joined(std::initializer_list<std::span<const float>> parts) {
  Floats all;
  for (std::span<const float> part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

}  // namespace phasor::test
