// Counts what is taken from the heap, by whom. Linking heap_counter.cpp replaces malloc and operator new.
#pragma once

#include <cstdint>

namespace phasor::test {

struct HeapUse {
  std::int64_t ours = 0;       // allocations that the program and its statically linked parts asked for
  std::int64_t libraries = 0;  // those that shared libraries asked for on their own behalf
  std::int64_t library_bytes = 0;
};

// Starts counting anew, in all threads.
void start_counting();
// Stops counting and returns what was counted.
HeapUse stop_counting();

}  // namespace phasor::test
