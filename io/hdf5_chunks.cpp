#include "io/hdf5_chunks.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "engine/base/shape.h"

namespace phasor::io {

namespace {

// Adds end-around carries until 16 bits are left: 0 only for a sum that is 0.
std::uint32_t folded(std::uint64_t sum) {
  while (sum > 0xffff) sum = (sum & 0xffff) + (sum >> 16);
  return static_cast<std::uint32_t>(sum);
}

}  // namespace

std::uint32_t fletcher32(std::span<const std::byte> bytes) {
  // So few words that the second sum, of up to kWords^2 / 2 words, stays below 2^64 with room to spare.
  constexpr std::size_t kWords = 1 << 20;
  std::uint64_t first = 0, second = 0;
  std::size_t i = 0;
  while (i + 2 <= bytes.size()) {
    const std::size_t end = std::min(bytes.size() / 2 * 2, i + 2 * kWords);
    for (; i < end; i += 2) {
      first += (std::to_integer<std::uint32_t>(bytes[i]) << 8) | std::to_integer<std::uint32_t>(bytes[i + 1]);
      second += first;
    }
    first = folded(first);
    second = folded(second);
  }
  if (i < bytes.size()) {
    first += std::to_integer<std::uint32_t>(bytes[i]) << 8;
    second += first;
  }
  return (folded(second) << 16) | folded(first);
}

bool write_chunks(hid_t dataset, std::int64_t rows, std::int64_t chunk_rows, std::int64_t row_bytes,
                  const std::byte* values) {
  const auto chunk_bytes = static_cast<std::size_t>(chunk_rows * row_bytes);
  std::vector<std::byte> chunk(chunk_bytes + sizeof(std::uint32_t));
  std::array<hsize_t, Shape::kMaxRank> offset{};
  for (std::int64_t row = 0; row < rows; row += chunk_rows) {
    const auto present = static_cast<std::size_t>(std::min(chunk_rows, rows - row) * row_bytes);
    std::memcpy(chunk.data(), values + row * row_bytes, present);
    std::memset(chunk.data() + present, 0, chunk_bytes - present);  // of the last chunk, behind the last row
    const std::uint32_t sum = fletcher32(std::span(chunk).first(chunk_bytes));
    for (int byte = 0; byte < 4; ++byte) chunk[chunk_bytes + byte] = static_cast<std::byte>(sum >> (8 * byte));
    offset[0] = static_cast<hsize_t>(row);
    if (H5Dwrite_chunk(dataset, H5P_DEFAULT, 0, offset.data(), chunk.size(), chunk.data()) < 0) return false;
  }
  return true;
}

}  // namespace phasor::io
