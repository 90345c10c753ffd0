#include "models/verify/compare/growth.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <map>

#include "io/figures/line_chart.h"

namespace phasor::run {

namespace {

// Of one kind of state in a layer.
struct Squares {
  double norm = 0, difference = 0;

  double relative() const {
    return difference == 0 ? 0 : norm > 0 ? std::sqrt(difference / norm) : std::numeric_limits<double>::infinity();
  }
};

// Of layer number `layer`, from the first step on in which it differs.
io::Line curve(const DifferenceGrowth& growth, std::size_t layer, int colour) {
  io::Line line{.name = growth.layers[layer], .x = {}, .y = {}, .colour = colour};
  for (std::size_t i = 0; i < growth.steps.size(); ++i) {
    const double relative = growth.relative[layer][i];
    if (relative == 0 || !std::isfinite(relative)) continue;
    line.x.push_back(static_cast<double>(growth.steps[i]));
    line.y.push_back(std::log10(relative));
  }
  return line;
}

std::string relative_text(double relative) {
  return relative == 0 ? "0" : std::isinf(relative) ? "all" : fmt::format("{:.1e}", relative);
}

// The first steps, and the last one.
std::vector<std::size_t> shown_steps(std::size_t steps) {
  constexpr std::size_t kMostShown = 6;
  std::vector<std::size_t> shown;
  for (std::size_t i = 0; i < std::min(steps, kMostShown); ++i) shown.push_back(i);
  if (steps > kMostShown) shown.back() = steps - 1;
  return shown;
}

}  // namespace

void add_growth(DifferenceGrowth& growth, std::int64_t step, const std::vector<TensorDistance>& state) {
  std::map<std::string, std::map<std::string, Squares>> layers;  // by layer and kind
  std::vector<std::string> names;
  for (const TensorDistance& tensor : state) {
    if (std::ranges::find(names, tensor.layer) == names.end()) names.push_back(tensor.layer);
    Squares& squares = layers[tensor.layer][tensor.name.substr(0, tensor.name.find('/'))];
    squares.norm += tensor.distance.norm() * tensor.distance.norm();
    squares.difference += tensor.distance.difference() * tensor.distance.difference();
  }
  std::ranges::reverse(names);  // as the model has them
  if (growth.layers.empty()) {
    growth.layers = names;
    growth.relative.resize(names.size());
  }
  growth.steps.push_back(step);
  for (std::size_t i = 0; i < names.size(); ++i) {
    double largest = 0;
    for (const auto& [kind, squares] : layers[names[i]]) largest = std::max(largest, squares.relative());
    growth.relative[i].push_back(largest);
  }
}

std::string growth_text(const DifferenceGrowth& growth) {
  std::size_t width = 0;
  for (const std::string& layer : growth.layers) width = std::max(width, layer.size());
  std::string text = fmt::format("  the difference of a layer's state over its norm:\n  {:<{}}", "", width);
  const std::vector<std::size_t> shown = shown_steps(growth.steps.size());
  for (std::size_t i : shown) text += fmt::format("  {:>9}", fmt::format("step {}", growth.steps[i]));
  text += '\n';
  for (std::size_t layer = 0; layer < growth.layers.size(); ++layer) {
    text += fmt::format("  {:<{}}", growth.layers[layer], width);
    for (std::size_t i : shown) text += fmt::format("  {:>9}", relative_text(growth.relative[layer][i]));
    text += '\n';
  }
  return text;
}

io::Figure growth_figure(const VerifiedPair& pair) {
  constexpr int kHeight = 320;  // pixels
  const DifferenceGrowth& growth = pair.growth;
  io::LineChart chart{.label = "How the difference between two executions grows, layer by layer",
                      .x_title = "optimizer step",
                      .y_title = "log10 of difference / norm",
                      .lines = {}};
  const std::size_t layers = growth.layers.size();
  const std::size_t shown = std::min<std::size_t>(layers, io::kColours);
  for (std::size_t i = 0; i < shown; ++i) {
    // Spread over all, the first and the last among them.
    const std::size_t layer = shown < 2 ? 0 : i * (layers - 1) / (shown - 1);
    chart.lines.push_back(curve(growth, layer, static_cast<int>(i)));
  }
  return {.title = "The difference to " + pair.name,
          .note = "Of weights and moments of a layer, whichever differ most: the norm of the difference over the norm.",
          .whole_width = true,
          .draw = [chart = std::move(chart)](int width) { return io::draw(chart, width, kHeight); },
          .picture = ""};
}

}  // namespace phasor::run
