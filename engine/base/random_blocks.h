// Many blocks of the generator at once: the inner loop of random masks.
#pragma once

#include <span>

#include "engine/base/random.h"

namespace phasor {

// How many blocks random_blocks makes side by side.
inline constexpr std::size_t kRandomBlockLanes = 16;

// blocks[i] = random_block(seed, counter), with i added to the counter's first word, modulo 2^32. The number of blocks
// is a multiple of kRandomBlockLanes.
void random_blocks(std::uint64_t seed, const RandomBlock& counter, std::span<RandomBlock> blocks);

}  // namespace phasor
