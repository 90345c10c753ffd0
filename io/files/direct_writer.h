// Large writes past the system's cache. Copying what is read no more into it takes more of the processor than a fast
// disk takes time, and drives out what is read again.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>
#include <string>

namespace phasor::io {

// What the system moves past its cache begins and ends at multiples of this, in memory as in the file.
inline constexpr std::size_t kPageBytes = 1 << 12;

// Memory for so many bytes and a little more, which begins where a page does; not cleared.
struct FreePages {
  void operator()(std::byte* memory) const { std::free(memory); }
};
using PageMemory = std::unique_ptr<std::byte[], FreePages>;
PageMemory allocate_pages(std::size_t bytes);

// Of one open file, by one thread at a time.
class DirectWriter {
 public:
  DirectWriter() = default;
  DirectWriter(const DirectWriter&) = delete;
  DirectWriter& operator=(const DirectWriter&) = delete;
  ~DirectWriter() { give_up(); }

  // Where the file system knows no such writes, write() does nothing from now on.
  void open(const std::string& path);

  // Writes bytes at `offset` and returns how many from the first on: perhaps none, where they are few or do not begin
  // with a page, where the disk is so slow that the cache is a help, or where the system refuses. The others are left
  // to the caller. Nothing may lie behind them: the rest of their last page is written, too, as zeros.
  std::size_t write_at_end(std::int64_t offset, std::span<const std::byte> bytes);

 private:
  void give_up();
  std::size_t write_pages(std::int64_t offset, std::span<const std::byte> pages, std::span<const std::byte> last_page);

  int descriptor_ = -1;
  PageMemory last_page_;
  // Since the rate was looked at last.
  std::size_t bytes_ = 0;
  std::chrono::steady_clock::duration time_{};
};

}  // namespace phasor::io
