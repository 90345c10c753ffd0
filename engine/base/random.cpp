#include "engine/base/random.h"

#include <cmath>
#include <numbers>
#include <numeric>
#include <utility>

namespace phasor {

namespace {

constexpr std::int64_t kElementsPerBlock = 8;

constexpr std::uint16_t bits_of_element(const RandomBlock& block, std::int64_t element) {
  return static_cast<std::uint16_t>(block[element % kElementsPerBlock / 2] >> (element % 2 * 16));
}

// Uniform in (0, 1): never 0, so that its logarithm is finite.
double open_uniform(std::uint32_t bits) { return (bits + 0.5) * 0x1p-32; }

}  // namespace

void RandomSite::fill(std::int64_t sample, std::int64_t first, std::span<std::uint16_t> bits) const {
  const std::uint32_t global_sample = first_sample_ + static_cast<std::uint32_t>(sample);
  const auto count = static_cast<std::int64_t>(bits.size());
  const auto block_at = [&](std::int64_t index) {
    return random_block(seed_, {static_cast<std::uint32_t>(index), global_sample, site_, step_});
  };
  std::int64_t i = 0;
  while (i < count) {
    const std::int64_t element = first + i;
    const RandomBlock block = block_at(element / kElementsPerBlock);
    const std::int64_t end = std::min(count, i + kElementsPerBlock - element % kElementsPerBlock);
    for (; i < end; ++i) bits[i] = bits_of_element(block, first + i);
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
