#include "models/generation/sampler.h"

#include <algorithm>
#include <cmath>

#include "engine/base/error.h"
#include "engine/base/random.h"

namespace phasor::generation {

namespace {

// In [0, 1), with all the bits that a double has for it.
double uniform(std::int64_t seed, std::int64_t prompt, std::int64_t token) {
  const auto number = static_cast<std::uint64_t>(prompt);
  const RandomBlock block = random_block(static_cast<std::uint64_t>(seed),
                                         {static_cast<std::uint32_t>(token), static_cast<std::uint32_t>(number),
                                          static_cast<std::uint32_t>(number >> 32), 0x70C37000});
  return static_cast<double>((std::uint64_t{block[0]} << 32 | block[1]) >> 11) * 0x1p-53;
}

}  // namespace

void validate(const SamplingOptions& options) {
  check(options.temperature >= 0 && std::isfinite(options.temperature),
        "--temperature {} is not a number from 0, which draws nothing, upwards", options.temperature);
  check(options.top_k >= 0, "--top-k {} is less than 0, which keeps all tokens", options.top_k);
  check(options.top_p >= 0 && options.top_p <= 1, "--top-p {} is outside 0 .. 1: it is a part of the probability",
        options.top_p);
}

std::int32_t Sampler::choose(std::span<const float> logits, std::int64_t prompt, std::int64_t token) {
  ensure(!logits.empty(), "sampler: there is no token to choose");
  if (options_.temperature == 0) return static_cast<std::int32_t>(std::ranges::max_element(logits) - logits.begin());
  weigh(logits);
  keep_top_k();
  keep_top_p();
  return draw(prompt, token);
}

// weight = exp((logit - greatest) / temperature): 1 of the most probable, whatever the temperature.
void Sampler::weigh(std::span<const float> logits) {
  const double greatest = *std::ranges::max_element(logits);
  candidates_.clear();
  for (const float logit : logits) {
    candidates_.push_back({.logit = logit,
                           .id = static_cast<std::int32_t>(candidates_.size()),
                           .weight = std::exp((static_cast<double>(logit) - greatest) / options_.temperature)});
  }
}

void Sampler::keep_top_k() {
  if (options_.top_k == 0 || options_.top_k >= std::ssize(candidates_)) return;
  const auto end = candidates_.begin() + options_.top_k;
  std::nth_element(candidates_.begin(), end, candidates_.end());
  candidates_.erase(end, candidates_.end());
}

void Sampler::keep_top_p() {
  if (options_.top_p == 1) return;
  std::ranges::sort(candidates_, std::less<>());
  double all = 0, reached = 0;
  for (const Candidate& candidate : candidates_) all += candidate.weight;
  auto end = candidates_.begin();
  do {
    reached += end++->weight;
  } while (end != candidates_.end() && reached < options_.top_p * all);
  candidates_.erase(end, candidates_.end());
}

// The first token, by id, up to which the weights exceed a part of their sum that is drawn. In the order of ids,
// options that leave nothing out change nothing.
std::int32_t Sampler::draw(std::int64_t prompt, std::int64_t token) {
  if (!std::ranges::is_sorted(candidates_, {}, &Candidate::id)) std::ranges::sort(candidates_, {}, &Candidate::id);
  double all = 0, reached = 0;
  for (const Candidate& candidate : candidates_) all += candidate.weight;
  const double drawn = uniform(options_.seed, prompt, token) * all;
  std::int32_t last = candidates_.front().id;  // that has a weight: where rounding leaves the sum at what is drawn
  for (const Candidate& candidate : candidates_) {
    reached += candidate.weight;
    if (candidate.weight > 0) last = candidate.id;
    if (reached > drawn) break;
  }
  return last;
}

}  // namespace phasor::generation
