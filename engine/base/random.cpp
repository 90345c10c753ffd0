#include "engine/base/random.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <numbers>
#include <numeric>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/parallel.h"
#include "engine/base/random_blocks.h"

namespace phasor {

namespace {

constexpr std::size_t kElementsPerBlock = 8;
static_assert(std::endian::native == std::endian::little, "elements are the blocks' bytes in order");

// Uniform in (0, 1): never 0, so that its logarithm is finite.
double open_uniform(std::uint32_t bits) { return (bits + 0.5) * 0x1p-32; }

// A sample of normal(0, 1). Box and Muller, 1958.
double normal_sample(const RandomBlock& block) {
  const double radius = std::sqrt(-2 * std::log(open_uniform(block[0])));
  return radius * std::cos(2 * std::numbers::pi * open_uniform(block[1]));
}

// Of element i of what `purpose` tells apart.
RandomBlock block_of(std::size_t i, std::uint64_t seed, std::uint32_t stream, std::uint32_t purpose) {
  return random_block(seed, {static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(i >> 32), stream, purpose});
}

// values[i] = element(i), on all threads.
template <class Element>
void fill(std::span<float> values, Element element) {
  constexpr std::int64_t kGrain = 1 << 13;
  parallel_for_ranges(static_cast<std::int64_t>(values.size()), kGrain, [&](std::int64_t begin, std::int64_t end) {
    for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) values[i] = element(i);
  });
}

}  // namespace

RandomSite::RandomSite(const RandomPosition& position, std::int64_t site)
    : seed_(static_cast<std::uint64_t>(position.seed)),
      step_(static_cast<std::uint32_t>(position.step)),
      first_sample_(static_cast<std::uint32_t>(position.first_sample)),
      site_(static_cast<std::uint32_t>(position.stage * kRandomSites + site)) {
  ensure(site >= 0 && site < kRandomSites, "random: site {}, but a stage has {}", site, kRandomSites);
  ensure(position.stage >= 0 && position.stage < kRandomStages, "random: stage {}, but a model has at most {}",
         position.stage, kRandomStages);
}

void RandomSite::fill(std::int64_t sample, std::int64_t first, std::span<std::uint16_t> bits) const {
  const std::uint32_t global_sample = first_sample_ + static_cast<std::uint32_t>(sample);
  std::array<RandomBlock, 64> drawn;  // their memory holds the elements in order
  auto block = static_cast<std::uint32_t>(first / kElementsPerBlock);
  std::size_t skip = static_cast<std::size_t>(first) % kElementsPerBlock;
  for (std::size_t done = 0; done < bits.size();) {
    const std::size_t wanted = (skip + bits.size() - done + kElementsPerBlock - 1) / kElementsPerBlock;
    const std::size_t lanes = (wanted + kRandomBlockLanes - 1) / kRandomBlockLanes * kRandomBlockLanes;
    const auto blocks = std::span(drawn).first(std::min(lanes, drawn.size()));
    random_blocks(seed_, {block, global_sample, site_, step_}, blocks);
    const std::size_t taken = std::min(blocks.size() * kElementsPerBlock - skip, bits.size() - done);
    std::memcpy(bits.data() + done, reinterpret_cast<const char*>(drawn.data()) + skip * sizeof(bits[0]),
                taken * sizeof(bits[0]));
    done += taken;
    block += static_cast<std::uint32_t>(blocks.size());
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

void fill_normal(std::uint64_t seed, std::uint32_t stream, float deviation, std::span<float> values) {
  fill(values, [=](std::size_t i) {
    return static_cast<float>(normal_sample(block_of(i, seed, stream, 0x0B0A7000)) * deviation);
  });
}

void fill_truncated_normal(std::uint64_t seed, std::uint32_t stream, float deviation, std::span<float> values) {
  fill(values, [=](std::size_t i) {
    // Drawn again (another attempt of the same counter) outside two deviations.
    for (std::uint32_t attempt = 0;; ++attempt) {
      const double normal = normal_sample(block_of(i, seed, stream, 0x1A170000 + attempt));
      if (std::abs(normal) <= 2) return static_cast<float>(normal * deviation);
    }
  });
}

void fill_uniform(std::uint64_t seed, std::uint32_t stream, float limit, std::span<float> values) {
  fill(values, [=](std::size_t i) {
    return static_cast<float>((2 * open_uniform(block_of(i, seed, stream, 0x0F1A7000)[0]) - 1) * limit);
  });
}

}  // namespace phasor
