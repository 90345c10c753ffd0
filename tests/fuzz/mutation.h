// Inputs made from seeds by chance.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace phasor::fuzz {

// Input `index`, a function of the arguments alone: the seeds themselves come first, then a seed with one to eight
// changes: bits, bytes and whole numbers, pieces that are removed, repeated, inserted or taken from another seed. At
// most kMostInputBytes long.
std::string make_input(std::span<const std::string> seeds, std::span<const std::string> words, std::uint64_t seed,
                       std::uint64_t index);

}  // namespace phasor::fuzz
