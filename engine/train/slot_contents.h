// What a slot of a lowered program holds, for people who ask where the memory goes.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace phasor {

enum class Content : std::uint8_t { weights, packed_weights, gradients, moments, activations, batch, workspace };
// In the order of the enumeration. `batch`: also the numbers of the step. `workspace` is no slot's.
inline constexpr std::array<std::string_view, 7> kContentNames{"weights",     "packed weights", "gradients", "moments",
                                                               "activations", "batch",          "workspace"};

// By the names that unit_lowering.cpp and micro_batches.cpp give.
Content content_of_slot(std::string_view name);

}  // namespace phasor
