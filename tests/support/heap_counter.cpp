#include "tests/support/heap_counter.h"

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <dlfcn.h>
#include <link.h>
#include <new>

// What glibc's own malloc is called by when a program replaces it.
extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);
}

namespace {

std::atomic<bool> counting{false};
std::atomic<std::int64_t> ours{0}, libraries{0}, library_bytes{0};

struct Range {
  std::uintptr_t begin = 0, end = 0;
};

// Where the program's own code lies: the first object that the loader lists.
Range program_code() {
  Range range;
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* out) {
        auto& found = *static_cast<Range*>(out);
        for (int i = 0; i < info->dlpi_phnum; ++i) {
          const auto& header = info->dlpi_phdr[i];
          if (header.p_type != PT_LOAD || !(header.p_flags & PF_X)) continue;
          found = {info->dlpi_addr + header.p_vaddr, info->dlpi_addr + header.p_vaddr + header.p_memsz};
        }
        return 1;
      },
      &range);
  return range;
}

void count(void* caller, std::size_t bytes) {
  if (!counting.load(std::memory_order_relaxed)) return;
  static const Range program = program_code();
  const auto place = reinterpret_cast<std::uintptr_t>(caller);
  if (place >= program.begin && place < program.end) {
    ++ours;
  } else {
    ++libraries;
    library_bytes += static_cast<std::int64_t>(bytes);
  }
}

void* checked(void* memory) {
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace

extern "C" {
void* malloc(std::size_t bytes) {
  count(__builtin_return_address(0), bytes);
  return __libc_malloc(bytes);
}
void* calloc(std::size_t number, std::size_t bytes) {
  count(__builtin_return_address(0), number * bytes);
  return __libc_calloc(number, bytes);
}
void* realloc(void* old, std::size_t bytes) {
  count(__builtin_return_address(0), bytes);
  return __libc_realloc(old, bytes);
}
void* aligned_alloc(std::size_t alignment, std::size_t bytes) {
  count(__builtin_return_address(0), bytes);
  return __libc_memalign(alignment, bytes);
}
int posix_memalign(void** memory, std::size_t alignment, std::size_t bytes) {
  count(__builtin_return_address(0), bytes);
  *memory = __libc_memalign(alignment, bytes);
  return *memory == nullptr ? ENOMEM : 0;
}
}

void* operator new(std::size_t bytes) {
  count(__builtin_return_address(0), bytes);
  return checked(__libc_malloc(bytes));
}
void* operator new[](std::size_t bytes) {
  count(__builtin_return_address(0), bytes);
  return checked(__libc_malloc(bytes));
}
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  count(__builtin_return_address(0), bytes);
  return checked(__libc_memalign(static_cast<std::size_t>(alignment), bytes));
}
void operator delete(void* memory) noexcept { free(memory); }
void operator delete[](void* memory) noexcept { free(memory); }
void operator delete(void* memory, std::size_t) noexcept { free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { free(memory); }

namespace phasor::test {

void start_counting() {
  ours = libraries = library_bytes = 0;
  counting = true;
}

HeapUse stop_counting() {
  counting = false;
  return {.ours = ours, .libraries = libraries, .library_bytes = library_bytes};
}

}  // namespace phasor::test
