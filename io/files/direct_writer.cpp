#include "io/files/direct_writer.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <new>
#include <sys/uio.h>
#include <unistd.h>

namespace phasor::io {

namespace {

using DirectClock = std::chrono::steady_clock;

constexpr std::size_t kFewBytes = 1 << 16;
constexpr std::size_t kLookBytes = 64 << 20;       // the rate is looked at so often
constexpr double kSlowBytesPerSecond = 128 << 20;  // of a disk that the cache should stand in for

}  // namespace

PageMemory allocate_pages(std::size_t bytes) {
  void* memory = std::aligned_alloc(kPageBytes, (bytes + kPageBytes - 1) / kPageBytes * kPageBytes);
  if (memory == nullptr) throw std::bad_alloc();
  return PageMemory(static_cast<std::byte*>(memory));
}

void DirectWriter::open(const std::string& path) {
  give_up();
  descriptor_ = ::open(path.c_str(), O_WRONLY | O_DIRECT | O_CLOEXEC);
  if (descriptor_ >= 0) last_page_ = allocate_pages(kPageBytes);
}

void DirectWriter::give_up() {
  if (descriptor_ >= 0) close(descriptor_);
  descriptor_ = -1;
}

std::size_t DirectWriter::write_at_end(std::int64_t offset, std::span<const std::byte> bytes) {
  const bool begins_a_page = offset % static_cast<std::int64_t>(kPageBytes) == 0 &&
                             reinterpret_cast<std::uintptr_t>(bytes.data()) % kPageBytes == 0;
  if (descriptor_ < 0 || !begins_a_page || bytes.size() < kFewBytes) return 0;
  const std::size_t whole = bytes.size() / kPageBytes * kPageBytes, rest = bytes.size() - whole;
  if (rest > 0) {
    std::memcpy(last_page_.get(), bytes.data() + whole, rest);
    std::memset(last_page_.get() + rest, 0, kPageBytes - rest);
  }
  const auto start = DirectClock::now();
  const std::size_t written =
      write_pages(offset, bytes.first(whole), std::span<const std::byte>(last_page_.get(), rest > 0 ? kPageBytes : 0));
  time_ += DirectClock::now() - start;
  bytes_ += written;
  if (bytes_ >= kLookBytes) {
    if (static_cast<double>(bytes_) < kSlowBytesPerSecond * std::chrono::duration<double>(time_).count()) give_up();
    bytes_ = 0;
    time_ = {};
  }
  return std::min(written, bytes.size());
}

// Ends with a failure, which the caller's own write comes upon, too, if it is one of the disk.
std::size_t DirectWriter::write_pages(std::int64_t offset, std::span<const std::byte> pages,
                                      std::span<const std::byte> last_page) {
  const std::size_t all = pages.size() + last_page.size();
  std::size_t done = 0;
  while (done < all) {
    const std::size_t skipped = std::min(done, pages.size());
    const auto piece = [](std::span<const std::byte> span) {
      return iovec{const_cast<std::byte*>(span.data()), span.size()};
    };
    const iovec pieces[2] = {piece(pages.subspan(skipped)), piece(last_page.subspan(done - skipped))};
    const bool only_last = skipped == pages.size();
    const ssize_t moved = pwritev(descriptor_, pieces + (only_last ? 1 : 0), only_last ? 1 : 2,
                                  static_cast<off_t>(offset) + static_cast<off_t>(done));
    if (moved < 0 && errno == EINTR) continue;
    if (moved > 0) done += static_cast<std::size_t>(moved);
    if (moved <= 0 || done % kPageBytes != 0) {
      give_up();
      break;
    }
  }
  return done;
}

}  // namespace phasor::io
