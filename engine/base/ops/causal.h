// How causal attention is cut: kernels compute by it, and costs count by it.
#pragma once

#include <cstdint>

namespace phasor {

// So many queries at a time, from a segment's first on, are multiplied with the keys up to the last of them. Few enough
// that little lies above the diagonal, enough for a product. A multiple of 16, as sizes of segments are (kernels).
inline constexpr std::int64_t kCausalQueries = 96;

// Pairs of a query and a key that are multiplied in a segment of so many tokens.
constexpr std::int64_t causal_pairs(std::int64_t tokens) {
  const std::int64_t blocks = tokens / kCausalQueries, rest = tokens % kCausalQueries;
  return kCausalQueries * kCausalQueries * (blocks * (blocks + 1) / 2) + rest * tokens;
}

}  // namespace phasor
