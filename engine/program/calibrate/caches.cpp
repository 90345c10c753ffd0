#include "engine/program/calibrate/caches.h"

#include <hwy/cache_control.h>

namespace phasor {

void leave_caches(std::span<const std::byte> data) {
  constexpr std::size_t kLine = 64;
  for (std::size_t i = 0; i < data.size(); i += kLine) hwy::FlushCacheline(data.data() + i);
  hwy::FlushStream();
}

}  // namespace phasor
