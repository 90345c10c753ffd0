#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "io/terminal/progress.h"
#include "io/text/utf8.h"

namespace phasor::io {

namespace {

constexpr int kBarColumns = 24;

double fraction(const ProgressState& state) {
  if (state.total <= 0) return 1;
  return std::clamp(static_cast<double>(state.done) / static_cast<double>(state.total), 0.0, 1.0);
}

double units_per_second(const ProgressState& state) {
  return state.seconds > 0 ? static_cast<double>(state.done) / state.seconds : 0;
}

// "3.27/s", "81.4/s", "20.9k/s", "1.53M/s"
std::string rate_text(const ProgressState& state) {
  const double rate = units_per_second(state);
  if (rate >= 1e6) return fmt::format("{:.3g}M/s", rate / 1e6);
  if (rate >= 1e3) return fmt::format("{:.3g}k/s", rate / 1e3);
  return fmt::format("{:.3g}/s", rate);
}

// "0:07", "12:30", "3:05:00"
std::string time_text(double seconds) {
  const auto whole = static_cast<std::int64_t>(std::llround(seconds));
  if (whole >= 3600) return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
  return fmt::format("{}:{:02}", whole / 60, whole % 60);
}

std::string time_left(const ProgressState& state) {
  const double rate = units_per_second(state);
  if (rate <= 0) return "?";
  return time_text(static_cast<double>(std::max<std::int64_t>(0, state.total - state.done)) / rate);
}

std::string with_text(const ProgressState& state) { return state.text.empty() ? "" : "  " + state.text; }

}  // namespace

std::string progress_bar_line(const ProgressState& state, int columns) {
  const auto filled = static_cast<int>(fraction(state) * kBarColumns);
  const std::string line =
      fmt::format("{} [{}{}] {:3.0f}%  {}/{} {}  {}  {} left{}", state.title, std::string(filled, '='),
                  std::string(kBarColumns - filled, ' '), std::floor(100 * fraction(state)), state.done, state.total,
                  state.unit, rate_text(state), time_left(state), with_text(state));
  return std::string(slice_code_points(line, 0, std::max(0, columns)));
}

std::string progress_plain_line(const ProgressState& state) {
  return fmt::format("{}: {}/{} {} ({:.0f}%), {}, {} left{}", state.title, state.done, state.total, state.unit,
                     std::floor(100 * fraction(state)), rate_text(state), time_left(state), with_text(state));
}

std::string progress_end_line(const ProgressState& state) {
  const std::string of = state.done == state.total ? "" : fmt::format(" of {}", state.total);
  return fmt::format("{}: {}{} {} in {:.1f} s, {}{}", state.title, state.done, of, state.unit, state.seconds,
                     rate_text(state), with_text(state));
}

}  // namespace phasor::io
