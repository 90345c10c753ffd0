// Charts as markup: what must stand where. Whether they please is for eyes; tests/cli/report_test.py takes their
// picture.
#include <gtest/gtest.h>
#include <regex>

#include "io/figures/area_chart.h"
#include "io/figures/bar_chart.h"
#include "io/figures/line_chart.h"
#include "io/figures/page.h"
#include "io/figures/timeline_chart.h"

namespace phasor::io {
namespace {

int count(const std::string& text, const std::string& part) {
  int found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

// The numbers of every match of a pattern with groups.
std::vector<std::vector<double>> numbers_in(const std::string& text, const std::string& pattern) {
  std::vector<std::vector<double>> all;
  const std::regex expression(pattern);
  for (std::sregex_iterator match(text.begin(), text.end(), expression); match != std::sregex_iterator(); ++match) {
    std::vector<double>& numbers = all.emplace_back();
    for (std::size_t group = 1; group < match->size(); ++group) numbers.push_back(std::stod((*match)[group]));
  }
  return all;
}

constexpr const char* kRectangle = "<rect x=\"([-0-9.]+)\" y=\"([-0-9.]+)\" width=\"([-0-9.]+)\" height=\"([-0-9.]+)\"";

TEST(LineChart, DrawsThroughItsPoints) {
  LineChart chart{.label = "l", .x_title = "x", .y_title = "y", .lines = {{.x = {0, 50, 100}, .y = {0, 10, 5}}}};
  const std::string svg = draw(chart, 400, 200);
  const auto points = numbers_in(svg, "points=\"([0-9.]+),([0-9.]+) ([0-9.]+),([0-9.]+) ([0-9.]+),([0-9.]+)\"");
  ASSERT_EQ(points.size(), 1U);
  const std::vector<double>& p = points[0];
  EXPECT_NEAR(p[2], (p[0] + p[4]) / 2, 0.11);  // coordinates have one decimal
  EXPECT_NEAR(p[5], (p[1] + p[3]) / 2, 0.11);
  EXPECT_LT(p[3], p[1]);  // upwards
}

TEST(LineChart, KeepsThePeaksOfMorePointsThanPixels) {
  LineChart chart{.label = "l", .lines = {{}}};
  for (int i = 0; i < 100000; ++i) {
    chart.lines[0].x.push_back(i);
    chart.lines[0].y.push_back(i == 77777 ? 100 : i % 2);
  }
  const std::string svg = draw(chart, 300, 200);
  EXPECT_LT(svg.size(), 15000U);
  const auto ys = numbers_in(svg.substr(svg.find("<polyline")), ",([0-9.]+)[ \"]");
  EXPECT_LE(ys.size(), 2U * 300);
  double top = 1e9;
  for (const auto& y : ys) top = std::min(top, y[0]);
  EXPECT_NEAR(top, 24, 0.1);  // the upper edge of the field, where 100 lies
}

TEST(LineChart, HasALegendForSeveralNamesAndSaysWhenThereIsNothing) {
  LineChart chart{.label = "l", .lines = {{.name = "one", .x = {0, 1}, .y = {0, 1}}}};
  EXPECT_EQ(count(draw(chart, 300, 200), ">one<"), 0);
  chart.lines.push_back({.name = "two", .x = {0, 1}, .y = {1, 0}, .colour = kRed});
  EXPECT_EQ(count(draw(chart, 300, 200), ">two<"), 1);
  EXPECT_EQ(count(draw(LineChart{.label = "l", .lines = {{}}}, 300, 200), "no data"), 1);
}

TEST(LineChart, MeansRunOverAWindow) {
  EXPECT_EQ(moving_mean({1, 3, 5, 7}, 2), (std::vector<double>{1, 2, 4, 6}));
  EXPECT_EQ(moving_mean({}, 2), std::vector<double>{});
}

TEST(AreaChart, StacksItsPartsAndKeepsTheGreatestSumOfAPixel) {
  AreaChart chart{.label = "l",
                  .y_unit = Unit::bytes,
                  .x = {},
                  .parts = {{.name = "a", .values = {}}, {.name = "b", .colour = kRed, .values = {}}},
                  .levels = {{"planned", 2048}},
                  .stretches = {{"forward layer", 0, 5000}}};
  for (int i = 0; i < 10000; ++i) {
    chart.x.push_back(i);
    chart.parts[0].values.push_back(512);
    chart.parts[1].values.push_back(i == 4321 ? 1536 : 512);
  }
  chart.x.push_back(10000);
  const std::string svg = draw(chart, 500, 300);
  EXPECT_EQ(count(svg, "planned 2 KiB"), 1);
  EXPECT_EQ(count(svg, ">forward layer<"), 2);  // the name and the hint
  const auto level = numbers_in(svg, "y1=\"([0-9.]+)\" x2=\"[0-9.]+\" y2=\"[0-9.]+\" class=\"level\"");
  ASSERT_EQ(level.size(), 1U);
  // The second part's top edge reaches the level, and its polygon has no more points than what changes needs.
  const std::size_t at = svg.rfind("<polygon");
  const std::string polygon = svg.substr(at, svg.find('>', at) - at);
  double top = 1e9;
  for (const auto& y : numbers_in(polygon, ",([0-9.]+)")) top = std::min(top, y[0]);
  EXPECT_NEAR(top, level[0][0], 0.11);
  EXPECT_LE(count(polygon, ","), 12);
}

TEST(BarChart, LengthsAreInProportion) {
  BarChart chart{.label = "l", .unit = Unit::bytes, .parts = {{"in", kBlue}, {"out", kRed}}, .bars = {}};
  chart.bars = {{"long", {300, 100}}, {"short & thin", {0, 100}}};
  for (const int width : {340, 520}) {
    const std::string svg = draw(chart, width);
    const std::string bars = svg.substr(svg.find("long"));
    const auto rectangles = numbers_in(bars, kRectangle);
    ASSERT_EQ(rectangles.size(), 3U);
    EXPECT_NEAR(rectangles[0][2], 3 * rectangles[1][2], 0.4);
    EXPECT_NEAR(rectangles[1][2], rectangles[2][2], 0.11);
    EXPECT_NEAR(rectangles[1][0], rectangles[0][0] + rectangles[0][2], 0.2);
    EXPECT_EQ(count(svg, "short &amp; thin"), 2);
    EXPECT_EQ(count(svg, "400 B"), 1);
  }
}

TEST(TimelineChart, JoinsBoxesTooSmallToTellApart) {
  TimelineChart chart{.label = "l",
                      .colours = {{"x", kBlue}},
                      .rows = {{"row", {}}},
                      .stretches = {{0, 0.5, 0, "phase one"}, {0.5, 1, 0, "p"}},
                      .begin = 0,
                      .end = 1};
  for (int i = 0; i < 100000; ++i) chart.rows[0].boxes.push_back({i * 4e-6, i * 4e-6 + 2e-6, kBlue, "tiny"});
  chart.rows[0].boxes.push_back({0.5, 0.75, kRed, "large"});
  const std::string svg = draw(chart, 800);
  EXPECT_LT(svg.size(), 6000U);
  EXPECT_EQ(count(svg, "tiny and 99999 more: 200 ms"), 1);
  EXPECT_EQ(count(svg, "large: 250 ms"), 1);
  EXPECT_EQ(count(svg, "phase one: 500 ms"), 1);
}

TEST(Page, IsOneFileWithEveryFigureForEveryScreen) {
  std::vector<int> widths;
  Page page{.title = "a <b>", .figures = {{.title = "f", .draw = [&](int width) {
                                             widths.push_back(width);
                                             return std::string("<svg/>");
                                           }}}};
  page.tables = {{"t", {{"key", "1 < 2"}}}};
  const std::string html = to_html(page);
  EXPECT_EQ(widths, (std::vector<int>{520, 640, 340}));
  EXPECT_EQ(count(html, "a &lt;b&gt;"), 2);
  EXPECT_EQ(count(html, "1 &lt; 2"), 1);
  EXPECT_EQ(count(html, "<svg/>"), 3);
}

}  // namespace
}  // namespace phasor::io
