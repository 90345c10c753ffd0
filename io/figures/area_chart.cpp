#include "io/figures/area_chart.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace phasor::io {

namespace {

constexpr double kStretchRow = 18;

double total_at(const AreaChart& chart, std::size_t i) {
  double total = 0;
  for (const Part& part : chart.parts) total += part.values[i];
  return total;
}

// Where the next of the chosen values begins, and which it is.
struct Column {
  double x = 0;
  std::size_t value = 0;
};

// One value a column of pixels, that of the greatest sum.
std::vector<Column> columns_of(const AreaChart& chart, const Field& field) {
  std::vector<Column> columns;
  double last = -1;
  for (std::size_t i = 0; i + 1 < chart.x.size(); ++i) {
    const double x = field.place(chart.x[i], 0).x;
    if (columns.empty() || std::floor(x) > last) {
      columns.push_back({x, i});
      last = std::floor(x);
    } else if (total_at(chart, i) > total_at(chart, columns.back().value)) {
      columns.back().value = i;
    }
  }
  return columns;
}

void draw_part(Svg& svg, const AreaChart& chart, std::size_t which, const Field& field,
               const std::vector<Column>& columns) {
  std::vector<Point> top, ground;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    double below = 0;
    for (std::size_t p = 0; p < which; ++p) below += chart.parts[p].values[columns[c].value];
    const double above = below + chart.parts[which].values[columns[c].value];
    const double begin = columns[c].x;
    const double end = c + 1 < columns.size() ? columns[c + 1].x : field.place(chart.x.back(), 0).x;
    const double high = field.place(0, above).y, low = field.place(0, below).y;
    if (!top.empty() && top.back().y == high && ground.back().y == low) {
      top.back().x = ground.back().x = end;  // goes on as it was
      continue;
    }
    for (const double x : {begin, end}) {
      top.push_back({x, high});
      ground.push_back({x, low});
    }
  }
  top.insert(top.end(), ground.rbegin(), ground.rend());
  const auto greatest = std::ranges::max_element(chart.parts[which].values);
  svg.polygon(top, fill_style(chart.parts[which].colour),
              fmt::format("{}: at most {}", chart.parts[which].name, quantity_text(*greatest, chart.y_unit)));
}

// Alternating stripes behind the field, named above it where the name has room.
void draw_stretches(Svg& svg, const AreaChart& chart, const Field& field) {
  bool shaded = true;
  for (const Stretch& stretch : chart.stretches) {
    const double begin = field.place(stretch.begin, 0).x, end = field.place(stretch.end, 0).x;
    const double top = field.top - kStretchRow + 4;
    svg.rectangle({begin, top}, end - begin, field.bottom - top, shaded ? "stripe" : "no-stripe", stretch.name);
    if (text_width(stretch.name) + 6 < end - begin) {
      svg.text({(begin + end) / 2, field.top - 3}, stretch.name, "tick", Anchor::middle);
    }
    shaded = !shaded;
  }
}

}  // namespace

std::string draw(const AreaChart& chart, int width, int height) {
  Svg svg(width, height, chart.label);
  double highest = 0;
  for (const Level& level : chart.levels) highest = std::max(highest, level.value);
  for (std::size_t i = 0; i + 1 < chart.x.size(); ++i) highest = std::max(highest, total_at(chart, i));
  std::vector<LegendEntry> legend;
  for (auto part = chart.parts.rbegin(); part != chart.parts.rend(); ++part) {
    legend.push_back({part->name, part->colour});
  }
  const double legend_end = legend_height(legend, width);
  const Field field = make_field(make_axis(chart.x.front(), chart.x.back(), ticks_across(width), Unit::number, false),
                                 make_axis(0, highest, ticks_up(height), chart.y_unit), width, height, legend_end,
                                 chart.stretches.empty() ? 0 : kStretchRow);
  draw_legend(svg, {0, 0}, width, legend);
  draw_stretches(svg, chart, field);
  draw_axes(svg, field, chart.x_title, chart.y_title);
  const std::vector<Column> columns = columns_of(chart, field);
  for (std::size_t part = 0; part < chart.parts.size(); ++part) draw_part(svg, chart, part, field, columns);
  for (const Level& level : chart.levels) {
    const double y = field.place(0, level.value).y;
    svg.line({field.left, y}, {field.right, y}, "level");
    svg.text({field.right - 4, y - 5}, fmt::format("{} {}", level.name, quantity_text(level.value, chart.y_unit)),
             "level-name", Anchor::end);
  }
  return svg.finish();
}

}  // namespace phasor::io
