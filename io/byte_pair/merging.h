// Merges the bytes of one piece of text into tokens.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "io/byte_pair/merge_table.h"

namespace phasor::io {

// Appends the tokens of `piece`. It starts as the tokens of its bytes; of all neighbours that merge those of the lowest
// rank do, of several the first ones, until none are left. O(n log n) for a piece of n bytes.
void merge_piece(std::string_view piece, std::span<const std::int32_t, 256> byte_tokens, const MergeTable& merges,
                 std::vector<std::int32_t>& ids);

// The two ways to do it, for tests: a scan for the lowest rank before each merge, O(n²) and the faster one where pieces
// are short, and a heap of all merges to come.
inline constexpr std::size_t kMostToScan = 64;
void merge_by_scan(std::string_view piece, std::span<const std::int32_t, 256> byte_tokens, const MergeTable& merges,
                   std::vector<std::int32_t>& ids);  // of kMostToScan bytes at most
void merge_by_heap(std::string_view piece, std::span<const std::int32_t, 256> byte_tokens, const MergeTable& merges,
                   std::vector<std::int32_t>& ids);

}  // namespace phasor::io
