#include "io/figures/line_chart.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace phasor::io {

namespace {

struct Extent {
  double low = std::numeric_limits<double>::infinity(), high = -low;

  void add(const std::vector<double>& values) {
    for (const double value : values) {
      low = std::min(low, value);
      high = std::max(high, value);
    }
  }
  bool empty() const { return low > high; }
};

// Points one after the other, of those that share a column of pixels only the outermost.
std::vector<Point> thinned(const Line& line, const Field& field) {
  std::vector<Point> points;
  for (std::size_t i = 0; i < line.x.size();) {
    const double column = std::floor(field.place(line.x[i], 0).x);
    std::size_t end = i, lowest = i, highest = i;
    while (end < line.x.size() && std::floor(field.place(line.x[end], 0).x) == column) {
      if (line.y[end] < line.y[lowest]) lowest = end;
      if (line.y[end] > line.y[highest]) highest = end;
      ++end;
    }
    const std::size_t first = std::min(lowest, highest), second = std::max(lowest, highest);
    points.push_back(field.place(line.x[first], line.y[first]));
    if (second != first) points.push_back(field.place(line.x[second], line.y[second]));
    i = end;
  }
  return points;
}

}  // namespace

std::string draw(const LineChart& chart, int width, int height) {
  Extent x, y;
  std::vector<LegendEntry> legend;
  for (const Line& line : chart.lines) {
    x.add(line.x);
    y.add(line.y);
    if (!line.name.empty()) legend.push_back({line.name, line.colour});
  }
  if (legend.size() < 2) legend.clear();
  Svg svg(width, height, chart.label);
  if (x.empty()) {
    svg.text({width / 2.0, height / 2.0}, "no data", "label", Anchor::middle);
    return svg.finish();
  }
  const double above = legend_height(legend, width);
  const Field field =
      make_field(make_axis(x.low, x.high, ticks_across(width), Unit::number, false),
                 make_axis(chart.from_zero ? std::min(0.0, y.low) : y.low, y.high, ticks_up(height), chart.y_unit),
                 width, height, above);
  draw_legend(svg, {0, 0}, width, legend);
  draw_axes(svg, field, chart.x_title, chart.y_title);
  for (const Line& line : chart.lines) {
    svg.polyline(thinned(line, field), line_style(line.colour) + (line.faint ? " faint" : ""));
  }
  return svg.finish();
}

std::vector<double> moving_mean(const std::vector<double>& values, std::size_t window) {
  std::vector<double> means;
  double sum = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    sum += values[i];
    if (i >= window) sum -= values[i - window];
    means.push_back(sum / static_cast<double>(std::min(i + 1, window)));
  }
  return means;
}

}  // namespace phasor::io
