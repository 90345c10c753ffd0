#include "io/byte_pair/token_table.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace phasor::io {

namespace {

template <class Word>
std::uint64_t load(const char* bytes) {
  Word word;
  std::memcpy(&word, bytes, sizeof(word));
  return word;
}

}  // namespace

TokenTable::Key TokenTable::key_of(std::string_view text) {
  const char* end = text.data() + text.size();
  const auto bytes = static_cast<std::uint32_t>(text.size());
  if (bytes >= 8) return {load<std::uint64_t>(text.data()), load<std::uint64_t>(end - 8), bytes};
  if (bytes >= 4) return {load<std::uint32_t>(text.data()), load<std::uint32_t>(end - 4), bytes};
  const std::uint64_t middle = load<std::uint8_t>(text.data() + bytes / 2);
  return {load<std::uint8_t>(text.data()) | middle << 8, load<std::uint8_t>(end - 1), bytes};
}

// Multiplicative hashing, whose upper bits depend on all others; the primes are xxHash's.
std::size_t TokenTable::place_of(const Key& key) const {
  std::uint64_t hash = (key.first + key.bytes) * 0x9E3779B185EBCA87;
  hash = ((hash ^ hash >> 32) + key.last) * 0xC2B2AE3D27D4EB4F;
  return hash >> shift_;
}

TokenTable::TokenTable(std::span<const std::string> tokens, std::span<const std::int32_t> kept) {
  slots_.resize(std::bit_ceil(2 * kept.size() + 2));  // half of them empty, so that a search ends
  shift_ = 64 - std::countr_zero(slots_.size());
  for (const std::int32_t id : kept) {
    const std::string& text = tokens[static_cast<std::size_t>(id)];
    if (text.size() > kMostBytes) continue;
    const Key key = key_of(text);
    std::size_t slot = place_of(key);
    while (slots_[slot].id >= 0) slot = (slot + 1) & (slots_.size() - 1);
    slots_[slot] = {key, id};
  }
}

std::int32_t TokenTable::find(std::string_view piece) const {
  if (piece.size() > kMostBytes) return -1;
  const Key key = key_of(piece);
  std::size_t slot = place_of(key);
  while (slots_[slot].id >= 0 && slots_[slot].key != key) slot = (slot + 1) & (slots_.size() - 1);
  return slots_[slot].id;
}

}  // namespace phasor::io
