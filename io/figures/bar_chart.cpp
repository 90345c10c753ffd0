#include "io/figures/bar_chart.h"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>

namespace phasor::io {

namespace {

constexpr double kBarThickness = 14, kBarGap = 12, kBarNameRow = 17, kBarValueRoom = 84;
constexpr int kNarrowBars = 440;  // pixels

double sum_of(const Bar& bar) { return std::accumulate(bar.values.begin(), bar.values.end(), 0.0); }

}  // namespace

std::string draw(const BarChart& chart, int width) {
  const bool narrow = width < kNarrowBars;
  double names = 0, highest = 0;
  for (const Bar& bar : chart.bars) {
    names = std::max(names, text_width(bar.name));
    highest = std::max(highest, sum_of(bar));
  }
  const double left = narrow ? 0 : names + 12, right = width - kBarValueRoom;
  const double row = kBarThickness + kBarGap + (narrow ? kBarNameRow : 0), top = legend_height(chart.parts, width) + 2;
  Svg svg(width, top + row * static_cast<double>(chart.bars.size()), chart.label);
  draw_legend(svg, {0, 0}, width, chart.parts);
  double y = top;
  for (const Bar& bar : chart.bars) {
    if (narrow) {
      svg.text({0, y + kBarNameRow - 6}, bar.name, "label");
      y += kBarNameRow;
    } else {
      svg.text({left - 10, y + kBarThickness - 3}, bar.name, "label", Anchor::end);
    }
    double x = left;
    for (std::size_t part = 0; part < bar.values.size(); ++part) {
      const double length = highest > 0 ? bar.values[part] / highest * (right - left) : 0;
      if (length > 0) {
        svg.rectangle(
            {x, y}, std::max(0.5, length), kBarThickness, fill_style(chart.parts[part].colour),
            fmt::format("{}, {}: {}", bar.name, chart.parts[part].name, quantity_text(bar.values[part], chart.unit)));
      }
      x += length;
    }
    svg.text({x + 7, y + kBarThickness - 3}, quantity_text(sum_of(bar), chart.unit), "tick");
    y += kBarThickness + kBarGap;
  }
  return svg.finish();
}

}  // namespace phasor::io
