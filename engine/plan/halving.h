// Makes the sizes of a piece of work smaller until it is small enough, and leaves them such that it runs as it did.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

namespace phasor {

inline constexpr std::int64_t kBlock = 64;  // that kernels like sizes to be multiples of

// Halves the largest of the sizes, as often as `too_large` says so of what they are then; of equals the first.
// Multiples of 2 kBlock alone are halved where that is enough. Else each is, to a size that lies as far from a multiple
// of kBlock as it did: rows of 4000 numbers are not aligned, and halves of them shall not be either. What has become
// shorter than 2 kBlock stays.
void halve_largest(const std::vector<std::int64_t*>& sizes, const std::function<bool()>& too_large);

}  // namespace phasor
