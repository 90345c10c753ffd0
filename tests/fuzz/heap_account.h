// How much heap reading one input takes. Linking a program with heap_limit.cpp, or under sanitizers with
// heap_limit_sanitized.cpp, counts; who takes more than kMostHeapBytes for one input ends, as a crash does.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <unistd.h>

#include "tests/fuzz/fuzz_target.h"

namespace phasor::fuzz {

// Takes no memory itself: malloc calls it. Any thread.
class HeapAccount {
 public:
  // Counts from what is held now, which is not the next input's.
  void begin_input() {
    before_ = held_.load();
    most_ = before_.load();
  }

  // The most that was held at a time since, in bytes.
  std::size_t most_of_input() const { return most_ - before_; }

  // Before memory is taken, so that a request that no machine could grant shows, too.
  void check(std::size_t bytes) const {
    const std::size_t held = held_, before = before_;
    if (bytes <= kMostHeapBytes && (held <= before || held - before + bytes <= kMostHeapBytes)) return;
    constexpr char kMessage[] = "fuzz: more heap is taken than an input may ask for\n";
    [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, kMessage, sizeof(kMessage) - 1);
    std::abort();
  }

  void take(std::size_t bytes) {
    const std::size_t held = held_ += bytes;
    for (std::size_t most = most_; most < held && !most_.compare_exchange_weak(most, held);) continue;
  }

  void give_back(std::size_t bytes) { held_ -= bytes; }

 private:
  std::atomic<std::size_t> held_ = 0, before_ = 0, most_ = 0;
};

HeapAccount& heap_account();

}  // namespace phasor::fuzz
