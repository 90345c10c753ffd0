// Arrays of NumPy out of what was computed.
#pragma once

#include <memory>
#include <nanobind/ndarray.h>
#include <vector>

#include "engine/base/shape.h"

namespace phasor::python {

using FloatArray = nanobind::ndarray<nanobind::numpy, float>;

// The array owns the values.
inline FloatArray to_array(std::vector<float> values, const Shape& shape) {
  auto owned = std::make_unique<std::vector<float>>(std::move(values));
  std::vector<std::size_t> extents;
  for (const std::int64_t extent : shape.extents()) extents.push_back(static_cast<std::size_t>(extent));
  float* data = owned->data();
  const nanobind::capsule owner(owned.release(),
                                [](void* held) noexcept { delete static_cast<std::vector<float>*>(held); });
  return FloatArray(data, extents.size(), extents.data(), owner);
}

}  // namespace phasor::python
