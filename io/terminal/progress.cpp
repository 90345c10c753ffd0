#include "io/terminal/progress.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

namespace phasor::io {

namespace {

constexpr std::chrono::milliseconds kTerminalInterval{100};
constexpr std::chrono::seconds kLinesInterval{10};

ProgressStyle choose(ProgressStyle style) {
  if (style != ProgressStyle::Automatic) return style;
  return isatty(STDERR_FILENO) ? ProgressStyle::Terminal : ProgressStyle::Lines;
}

int terminal_columns() {
  winsize size{};
  return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

}  // namespace

ProgressDisplay::ProgressDisplay(std::string title, std::int64_t total, std::string unit, ProgressStyle style,
                                 std::FILE* out)
    : style_(choose(style)), out_(out), start_(Clock::now()) {
  state_.title = std::move(title);
  state_.total = total;
  state_.unit = std::move(unit);
  const Clock::duration first = style_ == ProgressStyle::Terminal ? Clock::duration(0) : kLinesInterval;
  next_draw_ = style_ == ProgressStyle::Quiet ? Clock::duration::max().count() : first.count();
  if (style_ == ProgressStyle::Lines) print(fmt::format("{}: {} {}\n", state_.title, state_.total, state_.unit));
}

void ProgressDisplay::advance(std::int64_t units) {
  done_.fetch_add(units, std::memory_order_relaxed);
  const Clock::time_point now = Clock::now();
  if ((now - start_).count() < next_draw_.load(std::memory_order_relaxed)) return;
  // Whoever holds the lock is drawing already.
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (lock && !finished_) draw(now);
}

void ProgressDisplay::set_text(const std::string& text) {
  const std::scoped_lock lock(mutex_);
  state_.text = text;
}

void ProgressDisplay::show_end() {
  const std::scoped_lock lock(mutex_);
  if (finished_ || style_ == ProgressStyle::Quiet) return;
  finished_ = true;
  state_.done = done_;
  state_.seconds = std::chrono::duration<double>(Clock::now() - start_).count();
  const char* erase = style_ == ProgressStyle::Terminal ? "\r\x1b[K" : "";
  print(erase + progress_end_line(state_) + "\n");
}

void ProgressDisplay::draw(Clock::time_point now) {
  const bool terminal = style_ == ProgressStyle::Terminal;
  const Clock::duration interval = terminal ? Clock::duration(kTerminalInterval) : Clock::duration(kLinesInterval);
  if ((now - start_).count() < next_draw_) return;  // somebody else has drawn meanwhile
  next_draw_ = (now - start_ + interval).count();
  state_.done = done_;
  state_.seconds = std::chrono::duration<double>(now - start_).count();
  print(terminal ? "\r\x1b[K" + progress_bar_line(state_, terminal_columns() - 1) : progress_plain_line(state_) + "\n");
}

void ProgressDisplay::print(const std::string& line) {
  std::fputs(line.c_str(), out_);
  std::fflush(out_);
}

void TerminalListener::note(const std::string& text) {
  if (style_ != ProgressStyle::Quiet) warning(text);
}

void TerminalListener::warning(const std::string& text) {
  fmt::print(out_, "{}\n", text);
  std::fflush(out_);
}

std::unique_ptr<Progress> TerminalListener::progress(const std::string& title, std::int64_t total,
                                                     const std::string& unit) {
  return std::make_unique<ProgressDisplay>(title, total, unit, style_, out_);
}

}  // namespace phasor::io
