#include "io/figures/picture.h"

#include <charconv>
#include <fmt/format.h>
#include <string_view>
#include <utility>

namespace phasor::io {

namespace {

constexpr const char* kTextAnchors[] = {"start", "middle", "end"};  // in the order of Anchor
constexpr double kLeastFramed = 3;                                  // pixels

// What the element says of its height: viewBox="0 0 1200 HEIGHT".
double height_of_picture(std::string_view picture) {
  const std::string before = fmt::format("viewBox=\"0 0 {} ", kPictureWidth);
  double height = 0;
  if (const auto at = picture.find(before); at != picture.npos) {
    std::from_chars(picture.data() + at + before.size(), picture.data() + picture.size(), height);
  }
  return height;
}

}  // namespace

Picture::Picture(double height, double left, const std::string& title, const std::vector<std::string>& kinds,
                 std::span<const char* const> colours)
    : colours_(colours),
      text_(fmt::format("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" font-family=\"sans-serif\" "
                        "font-size=\"12\">\n<rect width=\"{0}\" height=\"{1}\" fill=\"#ffffff\"/>\n",
                        kPictureWidth, height)) {
  label({left, 24}, Anchor::start, title, " font-size=\"16\"");
  double x = left;
  for (std::size_t kind = 0; kind < kinds.size(); ++kind) {
    text_ += fmt::format("<rect x=\"{:.1f}\" y=\"40\" width=\"12\" height=\"12\" fill=\"{}\"/>\n", x,
                         colour(static_cast<int>(kind)));
    label({x + 17, 51}, Anchor::start, kinds[kind]);
    x += 40 + 7 * static_cast<double>(kinds[kind].size());
  }
}

void Picture::label(Point at, Anchor anchor, const std::string& what, const std::string& more) {
  text_ += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\"{}>{}</text>\n", at.x, at.y,
                       kTextAnchors[static_cast<int>(anchor)], more, escape_markup(what));
}

void Picture::line(Point from, Point to, const std::string& attributes) {
  text_ += fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" {}/>\n", from.x, from.y, to.x,
                       to.y, attributes);
}

void Picture::box(const char* name, Point corner, double width, double height, int kind, const std::string& hint) {
  const bool framed = width > kLeastFramed && height > kLeastFramed;
  text_ += fmt::format(
      "<rect class=\"{}\" x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\" fill=\"{}\"{}>"
      "<title>{}</title></rect>\n",
      name, corner.x, corner.y, width, height, colour(kind), framed ? " stroke=\"#ffffff\" stroke-width=\"0.4\"" : "",
      escape_markup(hint));
}

std::string Picture::finish() {
  text_ += "</svg>\n";
  return std::move(text_);
}

std::string stacked_svg(const std::vector<std::string>& pictures) {
  constexpr std::string_view kElement = "<svg ";
  std::string inside;
  double y = 0;
  for (std::string picture : pictures) {
    const double height = height_of_picture(picture);
    picture.insert(picture.find(kElement) + kElement.size(),
                   fmt::format("x=\"0\" y=\"{}\" width=\"{}\" height=\"{}\" ", y, kPictureWidth, height));
    inside += picture;
    y += height;
  }
  return fmt::format("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {} {}\">\n{}</svg>\n", kPictureWidth, y,
                     inside);
}

}  // namespace phasor::io
