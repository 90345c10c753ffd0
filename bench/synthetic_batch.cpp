#include "bench/synthetic_batch.h"

namespace phasor::bench {

std::uint64_t draw(std::uint64_t n) {
  std::uint64_t z = n * 0x9E3779B97F4A7C15;
  z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9;
  z = (z ^ z >> 27) * 0x94D049BB133111EB;
  return z ^ z >> 31;
}

run::DenseBatch synthetic_batch(const bert::Config& config, std::int64_t first_sample, std::int64_t samples,
                                float label_weight) {
  const std::int64_t sequence = config.sequence_length;
  // A number in [0, end); a size is positive, which validate() has seen to.
  const auto below = [](std::uint64_t n, std::int64_t end) {
    return static_cast<std::int32_t>(draw(n) % static_cast<std::uint64_t>(std::max<std::int64_t>(1, end)));
  };
  run::DenseBatch batch;
  batch.mask.assign(static_cast<std::size_t>(samples * sequence), 0.0f);
  batch.label_weights.assign(static_cast<std::size_t>(2 * samples), label_weight);
  for (std::int64_t s = first_sample; s < first_sample + samples; ++s) {
    for (std::int64_t p = 0; p < sequence; ++p) {
      batch.input_ids.push_back(1 + below(static_cast<std::uint64_t>(s * sequence + p), config.vocab_size - 1));
      batch.token_type_ids.push_back(p < sequence / 4 ? 0 : static_cast<std::int32_t>(config.token_types - 1));
    }
  }
  for (std::uint64_t which : {0, 1}) {
    for (std::int64_t s = first_sample; s < first_sample + samples; ++s) {
      batch.labels.push_back(below((std::uint64_t{1} << 32) + 2 * static_cast<std::uint64_t>(s) + which, sequence));
    }
  }
  return batch;
}

}  // namespace phasor::bench
