// Drives data out of the caches, for measurements of what comes from memory.
#pragma once

#include <cstddef>
#include <span>

namespace phasor {

// Afterwards no cache of any core holds a part of `data`, which keeps its contents.
void leave_caches(std::span<const std::byte> data);

}  // namespace phasor
