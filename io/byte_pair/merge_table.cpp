#include "io/byte_pair/merge_table.h"

#include <algorithm>
#include <bit>

namespace phasor::io {

MergeTable::MergeTable(std::span<const BytePairMerge> merges) {
  constexpr std::size_t kFewest = 2;                                   // the shift by 64 bits of a single slot is none
  slots_.resize(std::bit_ceil(std::max(2 * merges.size(), kFewest)));  // half of them empty, so that a search ends
  mask_ = slots_.size() - 1;
  shift_ = 64 - std::countr_zero(slots_.size());
  for (std::size_t rank = 0; rank < merges.size(); ++rank) {
    const std::uint64_t pair = pair_of(merges[rank].left, merges[rank].right);
    std::size_t slot = place_of(pair);
    while (slots_[slot].pair != kNoPair) slot = (slot + 1) & mask_;
    slots_[slot] = {pair, {static_cast<std::uint32_t>(rank), merges[rank].result}};
  }
}

}  // namespace phasor::io
