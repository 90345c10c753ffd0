// Curves over a common axis.
#pragma once

#include "io/figures/chart.h"

namespace phasor::io {

struct Line {
  std::string name;          // in the legend; "": not there
  std::vector<double> x, y;  // as many of each; x ascends
  int colour = kBlue;
  bool faint = false;  // stands behind: what another line is the mean of
};

struct LineChart {
  std::string label;  // what there is to see, in a sentence
  std::string x_title, y_title;
  Unit y_unit = Unit::number;
  bool from_zero = false;  // the vertical axis begins there
  std::vector<Line> lines;
};

// An svg element. Where there are several points to a pixel, their least and greatest remain.
std::string draw(const LineChart& chart, int width, int height);

// Means over the last `window` values, or as many as there are.
std::vector<double> moving_mean(const std::vector<double>& values, std::size_t window);

}  // namespace phasor::io
