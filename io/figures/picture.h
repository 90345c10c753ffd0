// Pictures that open in any browser, alone or in a page: they bring their colours and letters along, where charts
// (chart.h) have those of their page.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "io/figures/svg.h"

namespace phasor::io {

inline constexpr double kPictureWidth = 1200;  // pixels

// What is drawn is drawn above what was drawn before. Coordinates are pixels from the upper left corner.
class Picture {
 public:
  // With a title and, under it, the names of `kinds` beside their colours, from x = `left` on. All of that ends above
  // y = 60.
  Picture(double height, double left, const std::string& title, const std::vector<std::string>& kinds,
          std::span<const char* const> colours);

  // `more`: attributes, behind a space.
  void label(Point at, Anchor anchor, const std::string& what, const std::string& more = "");
  void line(Point from, Point to, const std::string& attributes);
  // In the colour of a kind, with a thin frame where there is room for one. `hint` appears when the pointer rests on
  // it.
  void box(const char* name, Point corner, double width, double height, int kind, const std::string& hint);

  // An <svg> element without references to anything outside of it.
  std::string finish();

 private:
  const char* colour(int kind) const { return colours_[static_cast<std::size_t>(kind) % colours_.size()]; }

  std::span<const char* const> colours_;
  std::string text_;
};

// Such pictures one under the other in one <svg> element.
std::string stacked_svg(const std::vector<std::string>& pictures);

}  // namespace phasor::io
