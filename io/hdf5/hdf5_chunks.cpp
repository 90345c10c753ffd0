#include "io/hdf5/hdf5_chunks.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstring>
#include <exception>
#include <semaphore>
#include <thread>
#include <vector>

#include "engine/base/parallel.h"
#include "engine/base/shape.h"
#include "io/files/direct_writer.h"

namespace phasor::io {

namespace {

// Adds end-around carries until 16 bits are left: 0 only for a sum that is 0.
std::uint16_t folded(std::uint64_t sum) {
  while (sum > 0xffff) sum = (sum & 0xffff) + (sum >> 16);
  return static_cast<std::uint16_t>(sum);
}

std::uint16_t swap_if_little(std::uint16_t word) {
  return std::endian::native == std::endian::little ? static_cast<std::uint16_t>(word << 8 | word >> 8) : word;
}

// As it lies in memory: the word whose first byte this is and whose second is 0.
std::uint16_t high_byte_of_word(unsigned char byte) { return swap_if_little(static_cast<std::uint16_t>(byte << 8)); }

}  // namespace

// Running sums side by side, so that they fill vector registers: with n words w, of which lane l holds every 32nd from
// l on, sum over i of (n - i) w[i] = sum over l of (32 second[l] - l first[l]). The words are added as they lie in
// memory: to swap the bytes of every word is to multiply by 256 modulo 65535, which can wait for the sums.
void Fletcher32::add(std::span<const std::byte> bytes) {
  constexpr std::size_t kLanes = 32, kRounds = 360;  // so many words' second sum is below 2^32
  const auto* byte = reinterpret_cast<const unsigned char*>(bytes.data());
  const std::size_t words = bytes.size() / 2;
  std::uint64_t first = first_, second = second_;
  const auto add_word = [&](std::uint64_t word) {
    first += word;
    second += first;
  };
  std::size_t done = 0;
  while (words - done >= kLanes) {
    const std::size_t rounds = std::min(kRounds, (words - done) / kLanes);
    std::array<std::uint32_t, kLanes> firsts{}, seconds{};
    for (std::size_t round = 0; round < rounds; ++round) {
      std::array<std::uint16_t, kLanes> word;
      std::memcpy(word.data(), byte + 2 * (done + round * kLanes), sizeof(word));
      for (std::size_t lane = 0; lane < kLanes; ++lane) {
        firsts[lane] += word[lane];
        seconds[lane] += firsts[lane];
      }
    }
    std::uint64_t sum = 0, weighted = 0;
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      sum += firsts[lane];
      weighted += kLanes * std::uint64_t{seconds[lane]} - lane * std::uint64_t{firsts[lane]};
    }
    second = folded(second + first * (rounds * kLanes) + weighted);
    first = folded(first + sum);
    done += rounds * kLanes;
  }
  for (; done < words; ++done) {
    std::uint16_t word;
    std::memcpy(&word, byte + 2 * done, sizeof(word));
    add_word(word);
  }
  if (bytes.size() % 2 != 0) add_word(high_byte_of_word(byte[bytes.size() - 1]));
  first_ = folded(first);
  second_ = folded(second);
}

std::uint32_t Fletcher32::sum() const { return std::uint32_t{swap_if_little(second_)} << 16 | swap_if_little(first_); }

namespace {

// So much is read and then summed at a time: it is still in the processor's cache. Even, as Fletcher32 asks.
constexpr std::int64_t kSourceBytes = 1 << 18;

// Chunks made on a thread of their own, ahead of who takes them by one.
class ChunksAhead {
 public:
  // make(number, memory) for `count` numbers from 0 on.
  ChunksAhead(std::int64_t count, std::size_t bytes, std::function<void(std::int64_t, std::byte*)> make)
      : thread_([this, count, bytes, make = std::move(make)] {
          set_threads(1);  // of copies: the others may have something to do
          for (std::int64_t number = 0; number < count; ++number) {
            free_.acquire();
            if (stops_) return;
            Chunk& chunk = chunks_[number % 2];
            try {
              if (!chunk.memory) chunk.memory = allocate_pages(bytes);
              make(number, chunk.memory.get());
            } catch (...) {
              chunk.failure = std::current_exception();
            }
            made_.release();
            if (chunk.failure) return;
          }
        }) {}
  ~ChunksAhead() {
    stops_ = true;
    free_.release();
  }

  // The next one, which stays until give_back(). Throws what make() threw.
  const std::byte* take() {
    made_.acquire();
    const Chunk& chunk = chunks_[taken_++ % 2];
    if (chunk.failure) std::rethrow_exception(chunk.failure);
    return chunk.memory.get();
  }
  void give_back() { free_.release(); }

 private:
  struct Chunk {
    PageMemory memory;
    std::exception_ptr failure;
  };
  Chunk chunks_[2];
  std::int64_t taken_ = 0;
  std::counting_semaphore<3> free_{2}, made_{0};
  std::atomic<bool> stops_ = false;
  std::jthread thread_;  // last: ends first
};

}  // namespace

bool write_chunks(hid_t dataset, std::int64_t rows, std::int64_t chunk_rows, std::int64_t row_bytes,
                  const ByteSource& source, ContentSum& sum_of_all) {
  const std::int64_t chunk_bytes = chunk_rows * row_bytes, all_bytes = rows * row_bytes;
  const std::size_t stored_bytes = static_cast<std::size_t>(chunk_bytes) + sizeof(std::uint32_t);
  const auto make = [&](std::int64_t number, std::byte* chunk) {
    const std::int64_t first = number * chunk_bytes, present = std::min(chunk_bytes, all_bytes - first);
    std::memset(chunk + present, 0, static_cast<std::size_t>(chunk_bytes - present));  // behind the last row
    Fletcher32 fletcher;
    for (std::int64_t done = 0; done < chunk_bytes; done += kSourceBytes) {
      const std::int64_t size = std::min(kSourceBytes, chunk_bytes - done),
                         from_source = std::min(size, present - done);
      if (from_source > 0) {
        const std::span<std::byte> piece(chunk + done, static_cast<std::size_t>(from_source));
        source(first + done, piece);
        sum_of_all.add(piece);
      }
      fletcher.add({chunk + done, static_cast<std::size_t>(size)});
    }
    const std::uint32_t sum = fletcher.sum();
    for (int byte = 0; byte < 4; ++byte) chunk[chunk_bytes + byte] = static_cast<std::byte>(sum >> (8 * byte));
  };
  const auto put = [&](std::int64_t number, const std::byte* chunk) {
    std::array<hsize_t, Shape::kMaxRank> offset{static_cast<hsize_t>(number * chunk_rows)};
    return H5Dwrite_chunk(dataset, H5P_DEFAULT, 0, offset.data(), stored_bytes, chunk) >= 0;
  };
  const std::int64_t count = (rows + chunk_rows - 1) / chunk_rows;
  if (count == 1) {
    const PageMemory chunk = allocate_pages(stored_bytes);
    make(0, chunk.get());
    return put(0, chunk.get());
  }
  ChunksAhead chunks(count, stored_bytes, make);
  for (std::int64_t number = 0; number < count; ++number) {
    if (!put(number, chunks.take())) return false;
    chunks.give_back();
  }
  return true;
}

bool read_chunks(hid_t dataset, std::int64_t rows, std::int64_t chunk_rows, std::int64_t row_bytes, std::byte* values,
                 ContentSum& sum_of_all, std::string& failure) {
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
    Fletcher32 fletcher;
    fletcher.add(std::span(chunk).first(chunk_bytes));
    if (sum != fletcher.sum()) {
      failure = "data error detected by Fletcher32 checksum";
      return true;
    }
    const auto present = static_cast<std::size_t>(std::min(chunk_rows, rows - row) * row_bytes);
    sum_of_all.add(std::span(chunk).first(present));
    std::memcpy(values + row * row_bytes, chunk.data(), present);
  }
  return true;
}

}  // namespace phasor::io
