// IDX files, in which MNIST comes: bytes behind a header that counts them, as they are or compressed by gzip.
//
//   images  2051, count, rows, columns, then count * rows * columns bytes
//   labels  2049, count, then count bytes                     numbers: 4 bytes each, the highest first
// LeCun, Cortes and Burges, "The MNIST database of handwritten digits", 1998.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace phasor::io {

struct IdxImages {
  std::int64_t count = 0, rows = 0, columns = 0;
  std::vector<std::uint8_t> pixels;  // [count, rows, columns]
};

// A file that is another, is cut short, goes on behind what it counts, or whose compression is damaged is a UserError
// of one line. Memory is taken for what the file has, never for what it claims.
IdxImages read_idx_images(const std::string& path);

// Of any value: which labels there are is known to who asks.
std::vector<std::uint8_t> read_idx_labels(const std::string& path);

}  // namespace phasor::io
