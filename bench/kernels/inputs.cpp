#include "bench/kernels/case.h"

namespace phasor::bench {

namespace {

// Uniform in [0, 1).
double unit_random(std::uint64_t seed, std::int64_t i) {
  return random_block(seed, {static_cast<std::uint32_t>(i), 0, 0, 0})[0] * 0x1p-32;
}

}  // namespace

template <class T>
Elements<T> uniform(std::uint64_t seed, std::int64_t count, float low) {
  Elements<T> x(count);
  for (std::int64_t i = 0; i < count; ++i)
    x.out()[i] = from_float<T>(static_cast<float>(low + (1 - static_cast<double>(low)) * unit_random(seed, i)));
  return x;
}
template Elements<float> uniform(std::uint64_t, std::int64_t, float);
template Elements<bfloat16> uniform(std::uint64_t, std::int64_t, float);

std::vector<std::int32_t> random_ids(std::uint64_t seed, std::int64_t count, std::int64_t end) {
  std::vector<std::int32_t> ids(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i)
    ids[i] = static_cast<std::int32_t>(unit_random(seed, i) * static_cast<double>(end));
  return ids;
}

}  // namespace phasor::bench
