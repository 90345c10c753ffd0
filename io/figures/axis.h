// The axis of a chart: a range of numbers, round ticks on it, and how they read.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace phasor::io {

enum class Unit : std::uint8_t {
  number,   // "0.25", "12,000", "2e-5"
  bytes,    // in the one of B, KiB, .., TiB that suits the range
  seconds,  // in the one of ns, µs, ms, s, min, h that suits the range
};

struct Tick {
  double value = 0;
  std::string text;  // without the unit
};

struct Axis {
  double low = 0, high = 1;  // low < high
  std::vector<Tick> ticks;   // within the range, in order
  std::string unit;          // of the ticks' texts: "MiB"; "" for numbers

  // Where a value lies between two places that stand for low and high.
  double place(double value, double at_low, double at_high) const {
    return at_low + (value - low) / (high - low) * (at_high - at_low);
  }
};

// An axis that holds [low, high], with at most about `ticks` steps of 1, 2 or 5 times a power of ten between its ticks.
// Where it `extends`, it begins and ends at ticks. An empty range is widened.
Axis make_axis(double low, double high, int ticks, Unit unit, bool extends = true);

// A value alone, with its unit: "412.6 MiB", "1.25 s", "0.0312".
std::string quantity_text(double value, Unit unit);

}  // namespace phasor::io
