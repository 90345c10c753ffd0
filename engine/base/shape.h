// The extents of a tensor, outermost first, row-major. A value type of up to four dimensions without heap memory.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>

namespace phasor {

class Shape {
 public:
  static constexpr int kMaxRank = 4;

  Shape() = default;  // a scalar: rank 0, one element
  Shape(std::initializer_list<std::int64_t> extents) : Shape(std::span(extents.begin(), extents.size())) {}
  explicit Shape(std::span<const std::int64_t> extents);

  int rank() const { return rank_; }
  // Negative dimensions count from the end.
  std::int64_t operator[](int dimension) const { return extents_[dimension < 0 ? dimension + rank_ : dimension]; }
  std::int64_t elements() const;
  std::span<const std::int64_t> extents() const { return {extents_.data(), static_cast<std::size_t>(rank_)}; }
  // Product of all extents but the last, and the last (1 for a scalar): a tensor seen as a matrix.
  std::int64_t rows() const;
  std::int64_t columns() const { return rank_ == 0 ? 1 : extents_[rank_ - 1]; }

  friend bool operator==(const Shape&, const Shape&) = default;

 private:
  std::array<std::int64_t, kMaxRank> extents_{};
  int rank_ = 0;
};

std::string to_string(const Shape& shape);  // "[4, 384, 768]"

}  // namespace phasor
