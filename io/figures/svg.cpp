#include "io/figures/svg.h"

#include <fmt/format.h>

#include "io/text/utf8.h"

namespace phasor::io {

namespace {

constexpr double kLetterWidth = 7;

void append_points(std::string& text, std::span<const Point> points) {
  for (const Point& point : points) text += fmt::format("{:.1f},{:.1f} ", point.x, point.y);
  if (!points.empty()) text.pop_back();
}

constexpr const char* kAnchors[] = {"start", "middle", "end"};  // in the order of Anchor

}  // namespace

std::string escape_markup(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      default:
        escaped += c;
    }
  }
  return escaped;
}

Svg::Svg(double width, double height, std::string_view label)
    : text_(fmt::format("<svg viewBox=\"0 0 {:.0f} {:.0f}\" role=\"img\" aria-label=\"{}\">\n", width, height,
                        escape_markup(label))) {}

void Svg::line(Point from, Point to, std::string_view style) {
  text_ += fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" class=\"{}\"/>\n", from.x, from.y,
                       to.x, to.y, style);
}

void Svg::polyline(std::span<const Point> points, std::string_view style) {
  text_ += "<polyline points=\"";
  append_points(text_, points);
  text_ += fmt::format("\" class=\"{}\"/>\n", style);
}

void Svg::polygon(std::span<const Point> points, std::string_view style, std::string_view hint) {
  text_ += "<polygon points=\"";
  append_points(text_, points);
  text_ += fmt::format("\" class=\"{}\"", style);
  close_with_hint("polygon", hint);
}

void Svg::rectangle(Point corner, double width, double height, std::string_view style, std::string_view hint) {
  text_ += fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" class=\"{}\"", corner.x,
                       corner.y, width, height, style);
  close_with_hint("rect", hint);
}

void Svg::strokes(Point corner, double scale, std::string_view path, double opacity) {
  text_ += fmt::format(
      "<path transform=\"translate({:.1f} {:.1f}) scale({:.3f})\" stroke=\"#000\" stroke-opacity=\"{:.2f}\" "
      "d=\"{}\"/>\n",
      corner.x, corner.y, scale, opacity, path);
}

void Svg::text(Point at, std::string_view text, std::string_view style, Anchor anchor) {
  text_ += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" class=\"{}\" text-anchor=\"{}\">{}</text>\n", at.x, at.y, style,
                       kAnchors[static_cast<int>(anchor)], escape_markup(text));
}

std::string Svg::finish() {
  text_ += "</svg>\n";
  return std::move(text_);
}

void Svg::close_with_hint(std::string_view element, std::string_view hint) {
  text_ += hint.empty() ? "/>\n" : fmt::format("><title>{}</title></{}>\n", escape_markup(hint), element);
}

double text_width(std::string_view text) { return kLetterWidth * static_cast<double>(count_code_points(text)); }

}  // namespace phasor::io
