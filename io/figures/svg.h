// Scalable drawings as text, for pages that stand alone. How things look is said by class names (page_style() in
// page.h).
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace phasor::io {

// With what HTML and SVG would take for markup escaped.
std::string escape_markup(std::string_view text);

enum class Anchor : std::uint8_t { start, middle, end };

struct Point {
  double x = 0, y = 0;
};

// Coordinates are pixels of the drawing, from its upper left corner. `style` is a list of class names.
class Svg {
 public:
  // `label` says what there is to see, for those who cannot.
  Svg(double width, double height, std::string_view label);

  void line(Point from, Point to, std::string_view style);
  void polyline(std::span<const Point> points, std::string_view style);
  void polygon(std::span<const Point> points, std::string_view style, std::string_view hint = {});
  // `hint` appears when the pointer rests on it.
  void rectangle(Point corner, double width, double height, std::string_view style, std::string_view hint = {});
  // Lines one unit wide, black as far as `opacity` goes: the d of a path whose units are `scale` pixels from `corner`
  // on.
  void strokes(Point corner, double scale, std::string_view path, double opacity);
  void text(Point at, std::string_view text, std::string_view style, Anchor anchor = Anchor::start);

  std::string finish();

 private:
  void close_with_hint(std::string_view element, std::string_view hint);

  std::string text_;
};

// About how wide a text is in the charts' letters.
double text_width(std::string_view text);

}  // namespace phasor::io
