// Sums and their parts side by side: a bar each, lying down, so that names have room.
#pragma once

#include "io/figures/chart.h"

namespace phasor::io {

struct Bar {
  std::string name;
  std::vector<double> values;  // of each part
};

struct BarChart {
  std::string label;  // what there is to see, in a sentence
  Unit unit = Unit::number;
  std::vector<LegendEntry> parts;
  std::vector<Bar> bars;
};

// An svg element, as high as its bars need. Names stand above the bars where the drawing is narrow.
std::string draw(const BarChart& chart, int width);

}  // namespace phasor::io
