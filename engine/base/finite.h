// Numbers that compute nothing but more of their kind: NaN and infinity.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

namespace phasor {

// The index of the first value that is NaN or infinite, if any.
std::optional<std::size_t> first_not_finite(std::span<const float> values);

}  // namespace phasor
