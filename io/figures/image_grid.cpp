#include "io/figures/image_grid.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>

#include "io/figures/svg.h"

namespace phasor::io {

namespace {

constexpr double kGridWidth = 960, kImageGap = 8, kCaptionRow = 20;
constexpr int kInkOfShade = 16;  // of ink's values to a shade

// Of each shade the runs of pixels, as the d of a path: a stroke through the middle of each run.
std::map<int, std::string> runs_of_shades(const GridImage& image) {
  std::map<int, std::string> runs;
  for (std::int64_t row = 0; row < image.rows; ++row) {
    const std::span<const std::uint8_t> ink =
        std::span(image.ink).subspan(row * image.columns, static_cast<std::size_t>(image.columns));
    for (auto at = ink.begin(); at != ink.end();) {
      const int shade = *at / kInkOfShade;
      const auto end = std::find_if(at, ink.end(), [&](std::uint8_t other) { return other / kInkOfShade != shade; });
      if (shade > 0) runs[shade] += fmt::format("M{} {}.5h{}", at - ink.begin(), row, end - at);
      at = end;
    }
  }
  return runs;
}

}  // namespace

std::string draw_image_grid(const std::string& label, std::span<const GridImage> images, int across) {
  const std::int64_t rows = (std::ssize(images) + across - 1) / across;
  const double side = kGridWidth / across - kImageGap, row_height = side + kCaptionRow + kImageGap;
  Svg svg(kGridWidth, row_height * static_cast<double>(rows), label);
  for (std::int64_t i = 0; i < std::ssize(images); ++i) {
    const GridImage& image = images[i];
    const Point corner{static_cast<double>(i % across) * (side + kImageGap),
                       static_cast<double>(i / across) * row_height};
    const double scale = side / static_cast<double>(std::max(image.rows, image.columns));
    for (const auto& [shade, runs] : runs_of_shades(image)) {
      svg.strokes(corner, scale, runs, shade / (256.0 / kInkOfShade - 1));
    }
    svg.text({corner.x + side / 2, corner.y + side + kCaptionRow - 6}, image.caption, "tick", Anchor::middle);
  }
  return svg.finish();
}

}  // namespace phasor::io
