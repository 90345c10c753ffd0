// Lengths into rows: as few as they allow, and each as full as it can be.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace phasor::run {

// What a row holds.
struct RowRoom {
  std::int64_t tokens = 0;
  std::int64_t samples = 1;  // at most; 1: each sample has a row of its own
};

// The row of each length; these come in falling order, and none is longer than a row. Each in turn goes to the fullest
// row that has room for it (best fit decreasing). Rows count from 0, and none is empty.
std::vector<std::int64_t> fit_best(std::span<const std::int64_t> lengths, RowRoom room);

// The same, one row after the other: the longest that is left, and those of the others that fill the rest of it as far
// as any do, the longest of such. Samples beyond what a row holds go to later ones. Takes time by lengths × tokens for
// each row; leaves the rows full but for the last.
std::vector<std::int64_t> fill_each(std::span<const std::int64_t> lengths, RowRoom room);

}  // namespace phasor::run
