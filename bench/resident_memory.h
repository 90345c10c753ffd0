// What the operating system counts as this process's memory.
#pragma once

#include <cstdint>

namespace phasor::bench {

// The most bytes that were resident at a time since the process started its program; 0 where the system does not tell.
std::int64_t resident_peak_bytes();

}  // namespace phasor::bench
