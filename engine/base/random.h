// Counter-based randomness: a number is a function of (seed, counter), never of what was drawn before.
// Philox4x32-10 of Salmon et al., "Parallel Random Numbers: As Easy as 1, 2, 3", SC 2011.
#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace phasor {

using RandomBlock = std::array<std::uint32_t, 4>;

// The block of 128 random bits at `counter` under `seed`. random_blocks.h makes many at once.
constexpr RandomBlock random_block(std::uint64_t seed, RandomBlock counter) {
  auto [word0, word1, word2, word3] = counter;
  auto key0 = static_cast<std::uint32_t>(seed), key1 = static_cast<std::uint32_t>(seed >> 32);
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t product0 = 0xD2511F53 * std::uint64_t{word0}, product1 = 0xCD9E8D57 * std::uint64_t{word2};
    word0 = static_cast<std::uint32_t>(product1 >> 32) ^ word1 ^ key0;
    word1 = static_cast<std::uint32_t>(product1);
    word2 = static_cast<std::uint32_t>(product0 >> 32) ^ word3 ^ key1;
    word3 = static_cast<std::uint32_t>(product0);
    key0 += 0x9E3779B9;
    key1 += 0xBB67AE85;
  }
  return {word0, word1, word2, word3};
}

// What a random draw knows of its place in the run.
struct RandomPosition {
  std::int64_t seed = 0;
  std::int64_t step = 0;          // optimizer step
  std::int64_t first_sample = 0;  // index within the global batch of the micro-batch's first sample
  std::int64_t stage = 0;         // number of the stage instance
};

// How many draws a stage can tell apart, and how many stage instances a model: a word of the counter holds both.
inline constexpr std::int64_t kRandomSites = 1 << 8, kRandomStages = 1 << 24;
// The last site is that of stochastic rounding, which is no draw of a graph.
inline constexpr std::int64_t kRoundingSite = kRandomSites - 1;

// A random draw in a stage, told apart by `site`: element e of sample s of the global batch is a function of
// (seed, step, s, stage, site, e) alone.
class RandomSite {
 public:
  // Throws InternalError where the stage or the site is not below its number.
  RandomSite(const RandomPosition& position, std::int64_t site);

  // 16 random bits for each of the elements [first, first + bits.size()) of `sample`, which counts from the
  // micro-batch's first. A block of the generator serves eight neighbouring elements.
  void fill(std::int64_t sample, std::int64_t first, std::span<std::uint16_t> bits) const;

 private:
  std::uint64_t seed_;
  std::uint32_t step_, first_sample_, site_;
};

// A permutation of 0 .. n-1 as a function of (seed, stream), by Fisher and Yates.
void random_permutation(std::uint64_t seed, std::uint32_t stream, std::span<std::int64_t> permutation);

// On all of this thread's threads (base/parallel.h): values[i] = a sample of normal(0, deviation), as a function of
// (seed, stream, i). None is beyond seven deviations, as a uniform number of 32 bits has no smaller neighbour of 0.
void fill_normal(std::uint64_t seed, std::uint32_t stream, float deviation, std::span<float> values);

// The same: values[i] = a sample of normal(0, deviation) truncated at two deviations, as a function of (seed, stream,
// i).
void fill_truncated_normal(std::uint64_t seed, std::uint32_t stream, float deviation, std::span<float> values);

// The same: values[i] = a sample of uniform(-limit, limit), as a function of (seed, stream, i).
void fill_uniform(std::uint64_t seed, std::uint32_t stream, float limit, std::span<float> values);

}  // namespace phasor
