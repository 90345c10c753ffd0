// Tells a person at a terminal, or who reads a log, how far work has come and what it has to say.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <mutex>
#include <string>

#include "io/listener/listener.h"

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

// Starts on construction. The last state is printed by finish().
class ProgressDisplay : public Progress {
 public:
  ProgressDisplay(std::string title, std::int64_t total, std::string unit, ProgressStyle style, std::FILE* out);
  ~ProgressDisplay() override { show_end(); }

  void advance(std::int64_t units = 1) override;
  void set_text(const std::string& text) override;
  void finish() override { show_end(); }

 private:
  using Clock = std::chrono::steady_clock;

  void show_end();
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

// Prints notes, warnings and progress to `out`, which outlives it. Quiet, it prints warnings alone.
class TerminalListener : public Listener {
 public:
  TerminalListener(ProgressStyle style, std::FILE* out) : style_(style), out_(out) {}

  void note(const std::string& text) override;
  void warning(const std::string& text) override;
  std::unique_ptr<Progress> progress(const std::string& title, std::int64_t total, const std::string& unit) override;

 private:
  ProgressStyle style_;
  std::FILE* out_;
};

}  // namespace phasor::io
