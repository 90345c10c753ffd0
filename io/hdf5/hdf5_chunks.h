// For the sources of the HDF5 layer only: chunks that go to the file as they lie in memory, past the library's copies
// of them, which cost more than the disk does.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <hdf5.h>
#include <span>
#include <string>

#include "io/files/content_sum.h"

namespace phasor::io {

// Fletcher-32 as HDF5 defines it: of 16-bit words, high byte first, the second sum in the upper half; an odd byte at
// the end is the high one of a word. Fletcher, "An Arithmetic Checksum for Serial Transmissions", 1982.
class Fletcher32 {
 public:
  // Goes on behind the bytes before, which were an even number.
  void add(std::span<const std::byte> bytes);
  std::uint32_t sum() const;

 private:
  std::uint16_t first_ = 0, second_ = 0;  // of words as they lie in memory
};

// Gives the bytes of a dataset from byte `first` on.
using ByteSource = std::function<void(std::int64_t first, std::span<std::byte> bytes)>;

// Writes a whole dataset of `rows` rows of `row_bytes`, in chunks of `chunk_rows` whole rows each, which is made of
// little-endian elements and of Fletcher-32 as its only filter. While the system takes one chunk, the next is read and
// summed by another thread. Returns whether HDF5 took every chunk; throws what the source throws. `sum` gets all bytes.
bool write_chunks(hid_t dataset, std::int64_t rows, std::int64_t chunk_rows, std::int64_t row_bytes,
                  const ByteSource& source, ContentSum& sum);

// Reads a whole dataset of this kind; `sum` gets all bytes. Returns false where it found chunks of another kind, which
// are left to the library; `failure` is set to the reason where a sum does not fit.
bool read_chunks(hid_t dataset, std::int64_t rows, std::int64_t chunk_rows, std::int64_t row_bytes, std::byte* values,
                 ContentSum& sum, std::string& failure);

}  // namespace phasor::io
