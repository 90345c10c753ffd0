// What charts have in common: a field with axes around it and a legend above.
#pragma once

#include <string>
#include <vector>

#include "io/figures/axis.h"
#include "io/figures/svg.h"

namespace phasor::io {

// Colours of charts are numbers of the page's palette.
inline constexpr int kColours = 8;
enum Colour : int { kBlue, kOrange, kGreen, kViolet, kRed, kGold, kGrey, kTeal };

// "fill-3" and the like, styles that page_style() defines.
std::string fill_style(int colour);
std::string line_style(int colour);

struct LegendEntry {
  std::string name;
  int colour = 0;
};

// Entries in rows, as many in one as `width` has room for, from the upper left corner on.
double legend_height(const std::vector<LegendEntry>& entries, double width);
void draw_legend(Svg& svg, Point corner, double width, const std::vector<LegendEntry>& entries);

// The field of a chart with two axes, in pixels.
struct Field {
  double left = 0, right = 0, top = 0, bottom = 0;
  Axis x, y;
  double title_above = 0;  // the vertical axis' title stands so far above the field

  Point place(double at_x, double at_y) const { return {x.place(at_x, left, right), y.place(at_y, bottom, top)}; }
};

// Leaves room around the field for the ticks and titles, for `above` pixels of something else over the vertical axis'
// title, and for `below_title` pixels under it.
Field make_field(Axis x, Axis y, int width, int height, double above, double below_title = 0);

// Grid lines, ticks, and the titles with the axes' units in brackets.
void draw_axes(Svg& svg, const Field& field, const std::string& x_title, const std::string& y_title);

// How many steps between ticks an axis of that many pixels has room for.
int ticks_across(double pixels);
int ticks_up(double pixels);

}  // namespace phasor::io
