// Linking this replaces malloc: who has more than kMostHeapBytes at a time ends, as a crash does.
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <malloc.h>
#include <unistd.h>

#include "tests/fuzz/fuzz_target.h"

// What glibc's own malloc is called by when a program replaces it.
extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);
void __libc_free(void*);
}

namespace {

std::atomic<std::size_t> held{0};

// Before memory is taken, so that a request that no machine could grant shows, too.
void check_heap(std::size_t bytes) {
  if (bytes <= phasor::fuzz::kMostHeapBytes && held.load(std::memory_order_relaxed) <= phasor::fuzz::kMostHeapBytes)
    return;
  constexpr char kMessage[] = "fuzz: more heap is taken than an input may ask for\n";
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, kMessage, sizeof(kMessage) - 1);
  std::abort();
}

void* taken(void* memory) {
  if (memory) held += malloc_usable_size(memory);
  return memory;
}

}  // namespace

extern "C" {
void* malloc(std::size_t bytes) {
  check_heap(bytes);
  return taken(__libc_malloc(bytes));
}
void* calloc(std::size_t number, std::size_t bytes) {
  std::size_t whole = 0;
  check_heap(__builtin_mul_overflow(number, bytes, &whole) ? ~std::size_t{0} : whole);
  return taken(__libc_calloc(number, bytes));
}
void* realloc(void* old, std::size_t bytes) {
  check_heap(bytes);
  if (old) held -= malloc_usable_size(old);
  return taken(__libc_realloc(old, bytes));
}
void* aligned_alloc(std::size_t alignment, std::size_t bytes) {
  check_heap(bytes);
  return taken(__libc_memalign(alignment, bytes));
}
int posix_memalign(void** memory, std::size_t alignment, std::size_t bytes) {
  *memory = aligned_alloc(alignment, bytes);
  return *memory == nullptr ? ENOMEM : 0;
}
void free(void* memory) {
  if (memory) held -= malloc_usable_size(memory);
  __libc_free(memory);
}
}
