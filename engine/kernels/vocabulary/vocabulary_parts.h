// How the vocabulary ops walk through tokens and entries, and what they lay out in scratch for their products.
#pragma once

#include <algorithm>
#include <cstddef>

#include "engine/base/bfloat16.h"
#include "engine/base/parallel.h"
#include "engine/kernels/simd/pieces.h"
#include "engine/kernels/vocabulary/vocabulary_products.h"

namespace phasor::kernels {

// Consecutive parts of [0, count), of which the last may be smaller.
struct Parts {
  std::int64_t count = 0, part = 1;

  std::int64_t parts() const { return (count + part - 1) / part; }
  std::int64_t begin(std::int64_t i) const { return i * part; }
  std::int64_t size(std::int64_t i) const { return std::min(part, count - begin(i)); }
};

// The blocks of a slice, without its padding.
inline Parts blocks_of(const VocabularyShape& s, std::int64_t first) {
  return {std::clamp<std::int64_t>(s.whole - first, 0, s.entries), s.block};
}
inline Parts pieces_of(std::int64_t tokens) { return {tokens, kPieceTokens}; }
inline Parts chunks_of(std::int64_t tokens) { return {tokens, kChunkTokens}; }

// Blocks that are packed at a time: enough for a team to share.
inline std::int64_t group_blocks(const VocabularyShape& s, int workers) {
  constexpr std::int64_t kLeast = 4;
  return std::min(std::max<std::int64_t>(kLeast, workers), Parts{s.entries, s.block}.parts());
}

// Tokens whose dlogits are held at a time: likewise.
inline std::int64_t batch_tokens(const VocabularyShape& s, int workers) {
  constexpr std::int64_t kLeast = 1024;
  const Parts chunks = chunks_of(std::max<std::int64_t>(kLeast, workers * kPieceTokens));
  return std::min(chunks.parts() * kChunkTokens, s.tokens);
}

inline std::int64_t row_bytes(const VocabularyShape& s) { return s.width * size_of(s.weight); }

// What the products multiply is x itself, or rounded to the weight's type in so many bytes of scratch.
inline std::int64_t rounded_x_bytes(const VocabularyShape& s) { return s.x == s.weight ? 0 : s.tokens * row_bytes(s); }
inline const std::byte* multiplied_x(const VocabularyShape& s, const void* x, std::byte* scratch) {
  if (s.x == s.weight) return static_cast<const std::byte*>(x);
  const auto* const from = static_cast<const float*>(x);
  auto* const to = reinterpret_cast<bfloat16*>(scratch);
  parallel_for_ranges(s.tokens * s.width, kGrain, [=](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) to[i] = to_bfloat16(from[i]);
  });
  return scratch;
}

// Packs `count` operands of which part(i), b(i) and packed(i) are the product, the place, and where it goes. Operands
// share a Packing, each of whose slices is for one thread at a time.
template <class Part, class B, class Packed>
void pack_all(std::int64_t count, Part part, B b, Packed packed) {
  std::int64_t slices = 0;
  for (std::int64_t i = 0; i < count; ++i) slices = std::max(slices, part(i).slices());
  parallel_for(slices, [&](std::int64_t slice) {
    for (std::int64_t i = 0; i < count; ++i) {
      const PartProduct& product = part(i);
      if (slice < product.slices()) product.packing->run(slice, b(i), packed(i));
    }
  });
}

}  // namespace phasor::kernels
