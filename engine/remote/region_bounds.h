// Where the regions of a store end.
#pragma once

#include <cstdint>
#include <string>

#include "engine/base/error.h"

namespace phasor {

struct RegionBounds {
  std::string name;  // for people
  std::int64_t bytes = 0;

  // Throws InternalError unless [offset, offset + count) lies in the region.
  void ensure_inside(std::int64_t offset, std::size_t count) const {
    const auto length = static_cast<std::int64_t>(count);
    ensure(offset >= 0 && length <= bytes && offset <= bytes - length,
           "remote: {} bytes from byte {} on of region '{}', which has {}", count, offset, name, bytes);
  }
};

}  // namespace phasor
