// Copies and clears large blocks of memory.
#pragma once

#include <cstddef>
#include <span>

namespace phasor {

// What becomes of a copy.
enum class Afterwards {
  read_soon,  // it stays in the caches if it is small enough to
  put_away,   // it is written past the caches, which keep what they hold
};

// to[i] = from[i] on the calling thread's team; equal sizes, no overlap. Allocates nothing. Not from within
// parallel_for.
void copy_bytes(std::span<const std::byte> from, std::span<std::byte> to, Afterwards afterwards);

// to[i] = 0, likewise.
void clear_bytes(std::span<std::byte> to);

}  // namespace phasor
