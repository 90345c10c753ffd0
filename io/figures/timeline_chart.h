// What went on side by side, and for how long: a row each, with a box for every piece of work.
#pragma once

#include "io/figures/chart.h"

namespace phasor::io {

struct Box {
  double begin = 0, end = 0;  // seconds
  int colour = 0;
  std::string name;
};

struct TimelineRow {
  std::string name;
  std::vector<Box> boxes;  // by begin; none overlaps the next
};

struct TimelineChart {
  std::string label;  // what there is to see, in a sentence
  std::vector<LegendEntry> colours;
  std::vector<TimelineRow> rows;
  std::vector<Box> stretches;  // named stretches of time above the rows, such as phases
  double begin = 0, end = 0;   // of the axis, in seconds; it counts from `begin`
};

// An svg element, as high as its rows need. Boxes of a colour that are closer than a pixel are drawn as one, which
// tells the first's name and how many they are.
std::string draw(const TimelineChart& chart, int width);

}  // namespace phasor::io
