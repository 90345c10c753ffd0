// Sanitizers have a malloc of their own, which tells of what it does.
#include "tests/fuzz/heap_account.h"

extern "C" {
[[gnu::weak]] std::size_t __sanitizer_get_allocated_size(const volatile void*);
void __sanitizer_malloc_hook(const volatile void*, std::size_t);
void __sanitizer_free_hook(const volatile void*);
}

namespace {
constinit phasor::fuzz::HeapAccount account;
}

phasor::fuzz::HeapAccount& phasor::fuzz::heap_account() { return account; }

void __sanitizer_malloc_hook(const volatile void*, std::size_t bytes) {
  account.check(bytes);
  account.take(bytes);
}

void __sanitizer_free_hook(const volatile void* memory) {
  if (memory && __sanitizer_get_allocated_size) account.give_back(__sanitizer_get_allocated_size(memory));
}
