#include "engine/base/tensor.h"

#include <cstdlib>
#include <cstring>
#include <sys/mman.h>

namespace phasor {

std::string to_string(const TensorSpec& spec) {
  return fmt::format("{}{}", name_of(spec.dtype), to_string(spec.shape));
}

namespace {
// From this size on, memory is mapped: the kernel hands out zero pages on first touch, large ones if it has them, so
// that products, whose rows lie kilobytes apart, find the addresses of all of them in the core's table.
constexpr std::int64_t kMappedBytes = 1 << 20;
}  // namespace

void FreeAligned::operator()(std::byte* data) const {
  if (bytes >= kMappedBytes) {
    munmap(data, static_cast<std::size_t>(bytes));
  } else {
    std::free(data);
  }
}

AlignedBytes allocate_zeroed(std::int64_t bytes) {
  if (bytes == 0) return nullptr;
  const auto size = static_cast<std::size_t>(align_up(bytes));
  void* data = nullptr;
  if (bytes >= kMappedBytes) {
    data = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    check(data != MAP_FAILED, "memory: {} bytes could not be reserved", bytes);
    madvise(data, size, MADV_HUGEPAGE);  // where the kernel has none, small pages serve, more slowly
  } else {
    data = std::aligned_alloc(kAlignment, size);
    check(data != nullptr, "memory: {} bytes could not be reserved", bytes);
    std::memset(data, 0, size);
  }
  return AlignedBytes(static_cast<std::byte*>(data), FreeAligned{bytes});
}

}  // namespace phasor
