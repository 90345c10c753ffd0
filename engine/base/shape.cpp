#include "engine/base/shape.h"

#include <fmt/ranges.h>

#include "engine/base/error.h"

namespace phasor {

Shape::Shape(std::span<const std::int64_t> extents) {
  ensure(extents.size() <= kMaxRank, "shape: {} dimensions, at most {} are supported", extents.size(), kMaxRank);
  for (std::int64_t extent : extents) {
    ensure(extent >= 0, "shape: dimension {} has the negative extent {}", rank_, extent);
    extents_[rank_++] = extent;
  }
}

std::int64_t Shape::elements() const {
  std::int64_t product = 1;
  for (std::int64_t extent : extents()) product *= extent;
  return product;
}

std::int64_t Shape::rows() const {
  std::int64_t product = 1;
  for (int dimension = 0; dimension + 1 < rank_; ++dimension) product *= extents_[dimension];
  return product;
}

std::string to_string(const Shape& shape) { return fmt::format("[{}]", fmt::join(shape.extents(), ", ")); }

}  // namespace phasor
