// Shows how far a long task has come, on standard error.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <mutex>
#include <string>

namespace phasor::io {

enum class ProgressStyle : std::uint8_t {
  Automatic,  // Terminal if standard error is one, else Lines
  Terminal,   // one line, redrawn at most ten times a second
  Lines,      // a plain line at the start, at the end, and at most every ten seconds between
  Quiet,      // nothing
};

// What there is to show, and how it reads.
struct ProgressState {
  std::string title{};
  std::string unit{};      // plural: "questions"
  std::string text{};      // free, at the end: "loss 1.23"
  std::int64_t total = 0;  // in units
  std::int64_t done = 0;
  double seconds = 0;
};
std::string progress_bar_line(const ProgressState& state, int columns);  // at most `columns` wide
std::string progress_plain_line(const ProgressState& state);
std::string progress_end_line(const ProgressState& state);

// Starts on construction. Any thread may call advance and set_text at any time.
class Progress {
 public:
  Progress(std::string title, std::int64_t total, std::string unit, ProgressStyle style = ProgressStyle::Automatic,
           std::FILE* out = stderr);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress() { finish(); }

  void advance(std::int64_t units = 1);
  void set_text(std::string text);
  void finish();  // prints the last state; what follows is ignored

 private:
  using Clock = std::chrono::steady_clock;

  void draw(Clock::time_point now);
  void print(const std::string& line);

  std::mutex mutex_;     // of state_ and out_
  ProgressState state_;  // `done` and `seconds` as last drawn
  ProgressStyle style_;
  std::FILE* out_;
  Clock::time_point start_;
  std::atomic<Clock::duration::rep> next_draw_;  // since start_
  std::atomic<std::int64_t> done_ = 0;
  bool finished_ = false;
};

}  // namespace phasor::io
