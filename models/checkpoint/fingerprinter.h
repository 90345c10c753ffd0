// Makes fingerprints while training goes on: a thread reads the state where it lies, in remote memory, and the next
// step computes beside it and waits, if at all, before it changes the state for the first time.
#pragma once

#include <atomic>
#include <string>
#include <thread>

#include "models/checkpoint/fingerprint.h"

namespace phasor::run {

// One thread calls everything but wait_until_read(). While one is made nobody else opens remote buffers.
class Fingerprinter {
 public:
  // The stages outlive it.
  explicit Fingerprinter(const Stages& stages) : stages_(stages) {}

  // Begins that of `state`, which must not change until wait_until_read() returns, and lives until finish() does. None
  // is under way: finish() came before.
  void start(const ModelState& state);

  // Returns when the state may change. Any thread; cheap where nothing is under way.
  void wait_until_read() const { reading_.wait(true); }

  // What start() has begun. Where the state could not be read, as from a disk that fails, a UserError.
  std::string finish();

 private:
  const Stages& stages_;
  std::atomic<bool> reading_ = false;
  std::string made_, failure_;  // the thread's until it is joined
  std::jthread thread_;         // last: ends first
};

}  // namespace phasor::run
