#include "engine/base/random.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <utility>

namespace phasor {

namespace {

constexpr std::int64_t kElementsPerBlock = 8;
constexpr std::int64_t kBlocks = 16;  // drawn side by side, one to a vector lane

// bits[e] = 16 bits of element e of the blocks at `counter`, counter + 1 in the first word, ... Vectorised over blocks.
void draw(std::uint64_t seed, const RandomBlock& counter, std::span<std::uint16_t, kBlocks * kElementsPerBlock> bits) {
  std::array<RandomBlock, kBlocks> blocks;
  for (std::uint32_t i = 0; i < kBlocks; ++i)
    blocks[i] = random_block(seed, {counter[0] + i, counter[1], counter[2], counter[3]});
  for (std::size_t word = 0; word < bits.size() / 2; ++word) {
    bits[2 * word] = static_cast<std::uint16_t>(blocks[word / 4][word % 4]);
    bits[2 * word + 1] = static_cast<std::uint16_t>(blocks[word / 4][word % 4] >> 16);
  }
}

// Uniform in (0, 1): never 0, so that its logarithm is finite.
double open_uniform(std::uint32_t bits) { return (bits + 0.5) * 0x1p-32; }

}  // namespace

void RandomSite::fill(std::int64_t sample, std::int64_t first, std::span<std::uint16_t> bits) const {
  const std::uint32_t global_sample = first_sample_ + static_cast<std::uint32_t>(sample);
  std::array<std::uint16_t, kBlocks * kElementsPerBlock> drawn;
  auto block = static_cast<std::uint32_t>(first / kElementsPerBlock);
  auto skip = static_cast<std::size_t>(first % kElementsPerBlock);
  for (std::size_t done = 0; done < bits.size(); block += kBlocks) {
    draw(seed_, {block, global_sample, site_, step_}, drawn);
    const std::size_t taken = std::min(drawn.size() - skip, bits.size() - done);
    std::copy_n(drawn.begin() + skip, taken, bits.begin() + done);
    done += taken;
    skip = 0;
  }
}

void random_permutation(std::uint64_t seed, std::uint32_t stream, std::span<std::int64_t> permutation) {
  std::iota(permutation.begin(), permutation.end(), 0);
  for (std::size_t i = permutation.size(); i > 1; --i) {
    const RandomBlock block =
        random_block(seed, {static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(i >> 32), stream, 0x5EED});
    const std::uint64_t draw = std::uint64_t{block[0]} << 32 | block[1];
    std::swap(permutation[i - 1], permutation[draw % i]);
  }
}

void fill_truncated_normal(std::uint64_t seed, std::uint32_t stream, float deviation, std::span<float> values) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    // Box-Muller, drawing again (another attempt of the same counter) outside two deviations.
    for (std::uint32_t attempt = 0;; ++attempt) {
      const RandomBlock block = random_block(
          seed, {static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(i >> 32), stream, 0x1A170000 + attempt});
      const double radius = std::sqrt(-2 * std::log(open_uniform(block[0])));
      const double normal = radius * std::cos(2 * std::numbers::pi * open_uniform(block[1]));
      if (std::abs(normal) > 2) continue;
      values[i] = static_cast<float>(normal * deviation);
      break;
    }
  }
}

}  // namespace phasor
