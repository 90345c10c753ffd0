// Linking this replaces malloc by one that counts.
#include <cerrno>
#include <malloc.h>

#include "tests/fuzz/heap_account.h"

// What glibc's own malloc is called by when a program replaces it.
extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);
void __libc_free(void*);
}

namespace {

constinit phasor::fuzz::HeapAccount account;

void* taken(void* memory) {
  if (memory) account.take(malloc_usable_size(memory));
  return memory;
}

}  // namespace

phasor::fuzz::HeapAccount& phasor::fuzz::heap_account() { return account; }

extern "C" {
void* malloc(std::size_t bytes) {
  account.check(bytes);
  return taken(__libc_malloc(bytes));
}
void* calloc(std::size_t number, std::size_t bytes) {
  std::size_t whole = 0;
  account.check(__builtin_mul_overflow(number, bytes, &whole) ? ~std::size_t{0} : whole);
  return taken(__libc_calloc(number, bytes));
}
void* realloc(void* old, std::size_t bytes) {
  account.check(bytes);
  if (old) account.give_back(malloc_usable_size(old));
  return taken(__libc_realloc(old, bytes));
}
void* aligned_alloc(std::size_t alignment, std::size_t bytes) {
  account.check(bytes);
  return taken(__libc_memalign(alignment, bytes));
}
int posix_memalign(void** memory, std::size_t alignment, std::size_t bytes) {
  *memory = aligned_alloc(alignment, bytes);
  return *memory == nullptr ? ENOMEM : 0;
}
void free(void* memory) {
  if (memory) account.give_back(malloc_usable_size(memory));
  __libc_free(memory);
}
}
