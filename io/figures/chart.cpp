#include "io/figures/chart.h"

#include <algorithm>
#include <fmt/format.h>

namespace phasor::io {

namespace {

constexpr double kLegendRow = 20, kLegendMark = 11, kLegendGap = 16, kBelowLegend = 6;
constexpr double kAxisTitleHeight = 20;
constexpr double kTitleHeight = 24, kTickHeight = 18, kRightMargin = 14;

double entry_width(const LegendEntry& entry) { return kLegendMark + 6 + text_width(entry.name) + kLegendGap; }

// Calls visit(entry, corner) for every entry; returns the number of rows.
template <class Visit>
int place_entries(const std::vector<LegendEntry>& entries, double width, Visit&& visit) {
  double x = 0;
  int row = 0;
  for (const LegendEntry& entry : entries) {
    if (x > 0 && x + entry_width(entry) - kLegendGap > width) {
      x = 0;
      ++row;
    }
    visit(entry, Point{x, kLegendRow * row});
    x += entry_width(entry);
  }
  return entries.empty() ? 0 : row + 1;
}

std::string with_unit(const std::string& title, const Axis& axis) {
  return axis.unit.empty() ? title : fmt::format("{} [{}]", title, axis.unit);
}

}  // namespace

std::string fill_style(int colour) { return fmt::format("fill-{}", colour % kColours); }
std::string line_style(int colour) { return fmt::format("line-{}", colour % kColours); }

double legend_height(const std::vector<LegendEntry>& entries, double width) {
  const int rows = place_entries(entries, width, [](const LegendEntry&, Point) {});
  return rows == 0 ? 0 : kLegendRow * rows + kBelowLegend;
}

void draw_legend(Svg& svg, Point corner, double width, const std::vector<LegendEntry>& entries) {
  place_entries(entries, width, [&](const LegendEntry& entry, Point at) {
    const Point mark{corner.x + at.x, corner.y + at.y + 3};
    svg.rectangle(mark, kLegendMark, kLegendMark, fill_style(entry.colour));
    svg.text({mark.x + kLegendMark + 6, mark.y + kLegendMark - 1}, entry.name, "label");
  });
}

Field make_field(Axis x, Axis y, int width, int height, double above, double below_title) {
  double widest = 0;
  for (const Tick& tick : y.ticks) widest = std::max(widest, text_width(tick.text));
  return {.left = widest + 12,
          .right = width - kRightMargin,
          .top = kTitleHeight + above + below_title,
          .bottom = height - kTickHeight - kAxisTitleHeight,
          .x = std::move(x),
          .y = std::move(y),
          .title_above = below_title + 13};
}

void draw_axes(Svg& svg, const Field& field, const std::string& x_title, const std::string& y_title) {
  for (const Tick& tick : field.y.ticks) {
    const double y = field.y.place(tick.value, field.bottom, field.top);
    svg.line({field.left, y}, {field.right, y}, "grid");
    svg.text({field.left - 7, y + 4}, tick.text, "tick", Anchor::end);
  }
  for (const Tick& tick : field.x.ticks) {
    const double x = field.x.place(tick.value, field.left, field.right);
    svg.line({x, field.bottom}, {x, field.bottom + 4}, "axis");
    svg.text({x, field.bottom + kTickHeight}, tick.text, "tick", Anchor::middle);
  }
  svg.line({field.left, field.bottom}, {field.right, field.bottom}, "axis");
  svg.text({0, field.top - field.title_above}, with_unit(y_title, field.y), "label");
  svg.text({field.right, field.bottom + kTickHeight + kAxisTitleHeight - 3}, with_unit(x_title, field.x), "label",
           Anchor::end);
}

int ticks_across(double pixels) { return std::clamp(static_cast<int>(pixels / 70), 2, 12); }
int ticks_up(double pixels) { return std::clamp(static_cast<int>(pixels / 38), 2, 8); }

}  // namespace phasor::io
