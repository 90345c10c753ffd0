// A sum of what a file holds that damage of any pattern changes: XXH3, of 128 bits. Fletcher's, which HDF5 adds to its
// chunks, is 0 for zeros, and so takes for whole what a disk lost.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

namespace phasor::io {

class ContentSum {
 public:
  ContentSum();
  ~ContentSum();

  // Goes on behind the bytes before; how they are cut into pieces does not show.
  void add(std::span<const std::byte> bytes);

  // 32 hexadecimal digits, as xxhsum -H2 and Python's xxhash.xxh3_128_hexdigest print them.
  std::string text() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace phasor::io
