// Where the parts of scratch memory lie.
#pragma once

#include <cstdint>

#include "engine/kernels/product/product_backends.h"

namespace phasor::kernels {

// Hands out scratch, part after part.
class ScratchLayout {
 public:
  // Where a part of so many elements starts.
  template <class T>
  std::int64_t add(std::int64_t elements) {
    const std::int64_t start = bytes_;
    bytes_ += whole_lines(elements * static_cast<std::int64_t>(sizeof(T)));
    return start;
  }
  std::int64_t bytes() const { return bytes_; }

 private:
  std::int64_t bytes_ = 0;
};

}  // namespace phasor::kernels
