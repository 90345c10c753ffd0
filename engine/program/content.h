// What device memory holds, for people who ask where it goes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace phasor {

enum class Content : std::uint8_t { weights, packed_weights, gradients, moments, activations, batch, workspace };
inline constexpr int kContents = 7;
// In the order of the enumeration. `batch`: also the numbers of the step and its results. `workspace` is no slot's.
inline constexpr std::array<std::string_view, kContents> kContentNames{
    "weights", "packed weights", "gradients", "moments", "activations", "batch", "workspace"};

inline std::string_view name_of(Content content) { return kContentNames[static_cast<std::size_t>(content)]; }

using BytesByContent = std::array<std::int64_t, kContents>;

}  // namespace phasor
