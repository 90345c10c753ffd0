// How a whole and its parts change: areas on top of each other.
#pragma once

#include "io/figures/chart.h"

namespace phasor::io {

struct Part {
  std::string name;
  int colour = 0;
  std::vector<double> values;  // one an x, each kept until the next
};

// A level to compare the whole with.
struct Level {
  std::string name;
  double value = 0;
};

// A stretch of the horizontal axis with a name.
struct Stretch {
  std::string name;
  double begin = 0, end = 0;
};

struct AreaChart {
  std::string label;  // what there is to see, in a sentence
  std::string x_title, y_title;
  Unit y_unit = Unit::number;
  std::vector<double> x;    // ascends; the last is where the last value ends
  std::vector<Part> parts;  // from the ground up; one value less than x has
  std::vector<Level> levels;
  std::vector<Stretch> stretches;
};

// An svg element. Where there are several values to a pixel, those of the greatest sum remain.
std::string draw(const AreaChart& chart, int width, int height);

}  // namespace phasor::io
