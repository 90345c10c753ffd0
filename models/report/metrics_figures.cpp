#include <algorithm>

#include "io/figures/line_chart.h"
#include "models/report/report_figures.h"

namespace phasor::run {

namespace {

constexpr int kCurveHeight = 270;  // pixels

using Member = double StepMetrics::*;

io::Line curve(const std::vector<StepMetrics>& metrics, Member member, std::string name, int colour) {
  io::Line line{.name = std::move(name), .x = {}, .y = {}, .colour = colour};
  for (const StepMetrics& step : metrics) {
    line.x.push_back(static_cast<double>(step.step));
    line.y.push_back(step.*member);
  }
  return line;
}

// How many steps the strong line is the mean of; 0: there are too few for one.
std::size_t window_for(const std::vector<StepMetrics>& metrics) {
  return metrics.size() < 100 ? 0 : std::max<std::size_t>(5, metrics.size() / 50);
}

// The values and, where they are many, their mean in front of them.
std::vector<io::Line> curve_and_mean(const std::vector<StepMetrics>& metrics, Member member, int colour) {
  std::vector<io::Line> lines{curve(metrics, member, "", colour)};
  if (const std::size_t window = window_for(metrics); window > 0) {
    lines.push_back(lines[0]);
    lines[0].faint = true;
    lines[1].y = io::moving_mean(lines[0].y, window);
  }
  return lines;
}

io::Figure figure(std::string title, std::string note, io::LineChart chart) {
  chart.x_title = "optimizer step";
  return {.title = std::move(title), .note = std::move(note), .draw = [chart = std::move(chart)](int width) {
            return io::draw(chart, width, kCurveHeight);
          }};
}

std::string mean_note(const std::vector<StepMetrics>& metrics) {
  const std::size_t window = window_for(metrics);
  return window > 0 ? fmt::format("; the strong line is the mean of the last {} steps", window) : "";
}

}  // namespace

io::Figure loss_figure(const std::vector<StepMetrics>& metrics) {
  return figure("Loss", "Mean over the global batch, before the update" + mean_note(metrics) + ".",
                {.label = "The loss of every optimizer step",
                 .y_title = "loss",
                 .from_zero = true,
                 .lines = curve_and_mean(metrics, &StepMetrics::loss, io::kBlue)});
}

io::Figure learning_rate_figure(const std::vector<StepMetrics>& metrics) {
  return figure("Learning rate", "As the schedule has it.",
                {.label = "The learning rate of every optimizer step",
                 .y_title = "learning rate",
                 .from_zero = true,
                 .lines = {curve(metrics, &StepMetrics::learning_rate, "", io::kOrange)}});
}

io::Figure throughput_figure(const std::vector<StepMetrics>& metrics) {
  return figure("Throughput", "Samples of all replicas a second" + mean_note(metrics) + ".",
                {.label = "Samples a second in every optimizer step",
                 .y_title = "samples/s",
                 .from_zero = true,
                 .lines = curve_and_mean(metrics, &StepMetrics::samples_per_second, io::kGreen)});
}

io::Figure stall_figure(const std::vector<StepMetrics>& lines) {
  std::vector<StepMetrics> metrics = lines;
  for (StepMetrics& line : metrics) line.stall_seconds /= static_cast<double>(line.steps);
  return figure("Waiting for transfers",
                "Time of a step in which replica 0 could not compute" + mean_note(metrics) + ".",
                {.label = "Seconds of every optimizer step spent waiting for transfers",
                 .y_title = "time a step",
                 .y_unit = io::Unit::seconds,
                 .from_zero = true,
                 .lines = curve_and_mean(metrics, &StepMetrics::stall_seconds, io::kRed)});
}

}  // namespace phasor::run
