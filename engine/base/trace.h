// What happened from when to when, for people to look at: spans of time in a ring that is reserved beforehand.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <vector>

namespace phasor {

// Nanoseconds of the steady clock. `what` means what the recorder and the reader agree on: steps of a program.
struct TraceSpan {
  std::int32_t what = 0;
  std::int64_t begin = 0, end = 0;
};

// Keeps the last `capacity` spans. Any thread may record at any time, without a lock and without taking memory.
class TraceSink {
 public:
  explicit TraceSink(std::size_t capacity) : ring_(capacity) {}

  static std::int64_t now() {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
  }

  void record(std::int32_t what, std::int64_t begin, std::int64_t end) {
    ring_[recorded_.fetch_add(1, std::memory_order_relaxed) % ring_.size()] = {what, begin, end};
  }

  // Those kept, by when they began. Only while nobody records.
  std::vector<TraceSpan> spans() const;

 private:
  std::vector<TraceSpan> ring_;
  std::atomic<std::size_t> recorded_ = 0;
};

// Where to record a piece of work that is handed on, and as what; no sink: nowhere.
struct TraceMark {
  TraceSink* sink = nullptr;
  std::int32_t what = 0;
};

// Records its own lifetime. Without a sink it does not even ask for the time.
class TraceScope {
 public:
  explicit TraceScope(TraceMark mark) : mark_(mark), begin_(mark.sink != nullptr ? TraceSink::now() : 0) {}
  TraceScope(const TraceScope&) = delete;
  TraceScope& operator=(const TraceScope&) = delete;
  ~TraceScope() {
    if (mark_.sink != nullptr) mark_.sink->record(mark_.what, begin_, TraceSink::now());
  }

 private:
  TraceMark mark_;
  std::int64_t begin_;
};

}  // namespace phasor
