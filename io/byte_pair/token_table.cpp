#include "io/byte_pair/token_table.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <xxhash.h>

#include "engine/base/error.h"

namespace phasor::io {

namespace {

std::uint64_t hash_of(std::string_view text) { return XXH3_64bits(text.data(), text.size()); }

}  // namespace

TokenTable::TokenTable(std::span<const std::string> tokens, std::span<const std::int32_t> kept) {
  slots_.resize(std::bit_ceil(2 * kept.size() + 1));  // half of them empty, so that a search ends
  for (const std::int32_t id : kept) {
    const std::string& text = tokens[static_cast<std::size_t>(id)];
    const std::uint64_t hash = hash_of(text);
    std::size_t slot = hash & (slots_.size() - 1);
    while (slots_[slot].id >= 0) slot = (slot + 1) & (slots_.size() - 1);
    slots_[slot] = {static_cast<std::uint32_t>(hash >> 32), id, static_cast<std::uint32_t>(texts_.size()),
                    static_cast<std::uint32_t>(text.size())};
    texts_ += text;
  }
  ensure(texts_.size() <= std::numeric_limits<std::uint32_t>::max(), "tokenizer: all tokens have {} bytes",
         texts_.size());
}

std::int32_t TokenTable::find(std::string_view piece) const {
  const std::uint64_t hash = hash_of(piece);
  const auto sum = static_cast<std::uint32_t>(hash >> 32);
  std::size_t at = hash & (slots_.size() - 1);
  for (; slots_[at].id >= 0; at = (at + 1) & (slots_.size() - 1)) {
    const Slot& slot = slots_[at];
    if (slot.sum == sum && std::string_view(texts_).substr(slot.begin, slot.bytes) == piece) break;
  }
  return slots_[at].id;
}

}  // namespace phasor::io
