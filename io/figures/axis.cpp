#include "io/figures/axis.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <span>

namespace phasor::io {

namespace {

struct Scale {
  const char* name;
  double size;
};
constexpr Scale kNumberScales[] = {{"", 1}};
constexpr Scale kByteScales[] = {{"B", 1}, {"KiB", 0x1p10}, {"MiB", 0x1p20}, {"GiB", 0x1p30}, {"TiB", 0x1p40}};
constexpr Scale kSecondScales[] = {{"ns", 1e-9}, {"µs", 1e-6}, {"ms", 1e-3}, {"s", 1}, {"min", 60}, {"h", 3600}};

// The largest in which the value is not below 1, the smallest if there is none.
const Scale& scale_for(double value, Unit unit) {
  const std::span<const Scale> scales = unit == Unit::bytes     ? std::span<const Scale>(kByteScales)
                                        : unit == Unit::seconds ? std::span<const Scale>(kSecondScales)
                                                                : std::span<const Scale>(kNumberScales);
  const Scale* chosen = &scales[0];
  for (const Scale& scale : scales) {
    if (std::abs(value) >= scale.size) chosen = &scale;
  }
  return *chosen;
}

// The smallest of 1, 2 and 5 times a power of ten that is not below `least`.
double round_step(double least) {
  const double power = std::pow(10.0, std::floor(std::log10(least)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= least * (1 - 1e-9)) return factor * power;
  }
  return 10 * power;
}

std::string with_thousands(const std::string& digits) {
  const std::size_t first = digits.starts_with('-') ? 1 : 0;
  const std::size_t end = std::min(digits.find('.'), digits.size());
  std::string text = digits;
  for (std::size_t i = end; i > first + 3; i -= 3) text.insert(i - 3, 1, ',');
  return text;
}

// A multiple of `step`, exactly as long as it needs to be.
std::string tick_text(double value, double step) {
  const int exponent = static_cast<int>(std::floor(std::log10(step) + 1e-9));
  if (exponent < -4) {
    if (value == 0) return "0";
    const int own = static_cast<int>(std::floor(std::log10(std::abs(value)) + 1e-9));
    return fmt::format("{:.{}f}e{}", value / std::pow(10.0, own), std::max(0, own - exponent), own);
  }
  return with_thousands(fmt::format("{:.{}f}", value, std::max(0, -exponent)));
}

}  // namespace

Axis make_axis(double low, double high, int ticks, Unit unit, bool extends) {
  if (!(high > low)) {
    const double half = low == 0 ? 1 : std::abs(low) / 2;
    high = low + half;
    low = low >= 0 && low < half ? 0 : low - half;
  }
  const Scale& scale = scale_for(std::max(std::abs(low), std::abs(high)), unit);
  const double step = round_step((high - low) / scale.size / ticks);
  Axis axis{.low = low, .high = high, .ticks = {}, .unit = scale.name};
  // Numbers of steps, not values, are counted: multiples of a step stay exact to the eye.
  double first = low / scale.size / step, last = high / scale.size / step;
  if (extends) {
    first = std::floor(first + 1e-9);
    last = std::ceil(last - 1e-9);
    axis.low = first * step * scale.size;
    axis.high = last * step * scale.size;
  }
  for (double n = std::ceil(first - 1e-9); n <= last + 1e-9; ++n) {
    const double value = n == 0 ? 0 : n * step;  // no negative zero
    axis.ticks.push_back({value * scale.size, tick_text(value, step)});
  }
  return axis;
}

std::string quantity_text(double value, Unit unit) {
  const Scale& scale = scale_for(value, unit);
  const double scaled = value / scale.size;
  const std::string unit_text = *scale.name == 0 ? "" : fmt::format(" {}", scale.name);
  if (scaled == std::floor(scaled) && std::abs(scaled) < 1e12) {
    return with_thousands(fmt::format("{:.0f}", scaled)) + unit_text;
  }
  if (std::abs(scaled) >= 1e4) return with_thousands(fmt::format("{:.0f}", scaled)) + unit_text;
  return fmt::format("{:.4g}{}", scaled, unit_text);
}

}  // namespace phasor::io
