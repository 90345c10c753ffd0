#include "io/hdf5_chunks.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <future>
#include <vector>

#include "engine/base/shape.h"

namespace phasor::io {

namespace {

// Adds end-around carries until 16 bits are left: 0 only for a sum that is 0.
std::uint32_t folded(std::uint64_t sum) {
  while (sum > 0xffff) sum = (sum & 0xffff) + (sum >> 16);
  return static_cast<std::uint32_t>(sum);
}

std::uint16_t swap_if_little(std::uint16_t word) {
  return std::endian::native == std::endian::little ? static_cast<std::uint16_t>(word << 8 | word >> 8) : word;
}

}  // namespace

// Eight running sums side by side, so that they fill vector registers: with n words w, of which lane l holds every
// eighth from l on, sum over i of (n - i) w[i] = sum over l of (8 second[l] - l first[l]).
std::uint32_t fletcher32(std::span<const std::byte> bytes) {
  constexpr std::size_t kLanes = 8, kWords = 1 << 20;  // a block's sums stay below 2^64 with room to spare
  const auto* byte = reinterpret_cast<const unsigned char*>(bytes.data());
  const std::size_t words = bytes.size() / 2;
  std::uint64_t first = 0, second = 0;
  const auto add = [&](std::uint64_t word) {
    first += word;
    second += first;
  };
  for (std::size_t done = 0; done < words;) {
    const std::size_t count = std::min(kWords, words - done), rounds = count / kLanes;
    std::array<std::uint64_t, kLanes> firsts{}, seconds{};
    for (std::size_t round = 0; round < rounds; ++round) {
      const unsigned char* from = byte + 2 * (done + round * kLanes);
      for (std::size_t lane = 0; lane < kLanes; ++lane) {
        std::uint16_t word;
        std::memcpy(&word, from + 2 * lane, sizeof(word));
        firsts[lane] += swap_if_little(word);
        seconds[lane] += firsts[lane];
      }
    }
    std::uint64_t sum = 0, weighted = 0;
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      sum += firsts[lane];
      weighted += kLanes * seconds[lane] - lane * firsts[lane];
    }
    second += first * (rounds * kLanes) + weighted;
    first += sum;
    done += rounds * kLanes;
    for (std::size_t rest = count % kLanes; rest > 0; --rest, ++done) add(byte[2 * done] << 8 | byte[2 * done + 1]);
    first = folded(first);
    second = folded(second);
  }
  if (bytes.size() % 2 != 0) add(byte[bytes.size() - 1] << 8);
  return (folded(second) << 16) | folded(first);
}

bool write_chunks(hid_t dataset, std::int64_t rows, std::int64_t chunk_rows, std::int64_t row_bytes,
                  const std::byte* values) {
  const auto chunk_bytes = static_cast<std::size_t>(chunk_rows * row_bytes);
  const auto fill = [&](std::vector<std::byte>& chunk, std::int64_t row) {
    chunk.resize(chunk_bytes + sizeof(std::uint32_t));
    const auto present = static_cast<std::size_t>(std::min(chunk_rows, rows - row) * row_bytes);
    std::memcpy(chunk.data(), values + row * row_bytes, present);
    std::memset(chunk.data() + present, 0, chunk_bytes - present);  // of the last chunk, behind the last row
    const std::uint32_t sum = fletcher32(std::span(chunk).first(chunk_bytes));
    for (int byte = 0; byte < 4; ++byte) chunk[chunk_bytes + byte] = static_cast<std::byte>(sum >> (8 * byte));
  };
  // While the system takes one chunk, the next is made ready.
  std::vector<std::byte> chunk, next;
  fill(chunk, 0);
  for (std::int64_t row = 0; row < rows; row += chunk_rows) {
    std::future<void> filled;
    if (row + chunk_rows < rows) filled = std::async(std::launch::async, [&] { fill(next, row + chunk_rows); });
    std::array<hsize_t, Shape::kMaxRank> offset{static_cast<hsize_t>(row)};
    const bool taken = H5Dwrite_chunk(dataset, H5P_DEFAULT, 0, offset.data(), chunk.size(), chunk.data()) >= 0;
    if (filled.valid()) filled.get();
    if (!taken) return false;
    chunk.swap(next);
  }
  return true;
}

bool read_chunks(hid_t dataset, std::int64_t rows, std::int64_t chunk_rows, std::int64_t row_bytes, std::byte* values,
                 std::string& failure) {
  const auto chunk_bytes = static_cast<std::size_t>(chunk_rows * row_bytes);
  std::array<hsize_t, Shape::kMaxRank> offset{};
  // Before memory is taken for a chunk: a damaged file may claim one of any size.
  hsize_t first_stored = 0;
  if (H5Dget_chunk_storage_size(dataset, offset.data(), &first_stored) < 0) return false;
  if (first_stored != chunk_bytes + sizeof(std::uint32_t)) return false;
  std::vector<std::byte> chunk(first_stored);
  for (std::int64_t row = 0; row < rows; row += chunk_rows) {
    offset[0] = static_cast<hsize_t>(row);
    hsize_t stored = 0;
    if (H5Dget_chunk_storage_size(dataset, offset.data(), &stored) < 0 || stored != chunk.size()) return false;
    std::uint32_t filters_left_out = 0;
    if (H5Dread_chunk(dataset, H5P_DEFAULT, offset.data(), &filters_left_out, chunk.data()) < 0) return false;
    if (filters_left_out != 0) return false;
    std::uint32_t sum = 0;
    for (int byte = 3; byte >= 0; --byte) sum = sum << 8 | std::to_integer<std::uint32_t>(chunk[chunk_bytes + byte]);
    if (sum != fletcher32(std::span(chunk).first(chunk_bytes))) {
      failure = "data error detected by Fletcher32 checksum";
      return true;
    }
    const auto present = static_cast<std::size_t>(std::min(chunk_rows, rows - row) * row_bytes);
    std::memcpy(values + row * row_bytes, chunk.data(), present);
  }
  return true;
}

}  // namespace phasor::io
