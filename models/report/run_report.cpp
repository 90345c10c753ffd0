#include "models/report/run_report.h"

#include <algorithm>
#include <filesystem>

#include "engine/base/error.h"
#include "io/figures/axis.h"
#include "io/files/atomic_file.h"
#include "io/files/text_file.h"
#include "models/report/figures_file.h"
#include "models/report/report_figures.h"

namespace phasor::run {

namespace {

double median_rate(const std::vector<StepMetrics>& metrics) {
  std::vector<double> rates;
  for (const StepMetrics& step : metrics) rates.push_back(step.samples_per_second);
  const auto middle = rates.begin() + static_cast<std::ptrdiff_t>(rates.size() / 2);
  std::ranges::nth_element(rates, middle);
  return *middle;
}

// Of all steps, where it is known how many samples they took; else 0.
double total_seconds(const RunRecord& run) {
  double seconds = 0;
  for (const StepMetrics& step : run.metrics) {
    const std::int64_t samples = step.samples > 0 || !run.facts ? step.samples : run.facts->samples_per_step;
    if (step.samples_per_second > 0) seconds += static_cast<double>(samples) / step.samples_per_second;
  }
  return seconds;
}

std::vector<io::Tile> make_tiles(const RunRecord& run) {
  const std::vector<StepMetrics>& metrics = run.metrics;
  const LossTrend loss = loss_trend(metrics);
  const double seconds = total_seconds(run);
  std::vector<io::Tile> tiles{
      {"loss", fmt::format("{:.4f}", loss.last), fmt::format("{:.4f} at the start", loss.first)},
      {"optimizer steps", io::quantity_text(static_cast<double>(metrics.back().step), io::Unit::number),
       seconds > 0 ? fmt::format("in {}", io::quantity_text(seconds, io::Unit::seconds)) : ""},
      {"throughput", fmt::format("{:.4g}", median_rate(metrics)), "samples/s, median"},
      {"device memory", io::quantity_text(static_cast<double>(metrics.back().device_peak_bytes), io::Unit::bytes),
       run.facts && run.facts->device_budget_bytes > 0
           ? "of " + io::quantity_text(static_cast<double>(run.facts->device_budget_bytes), io::Unit::bytes)
           : "a replica, peak"}};
  if (seconds > 0) {
    double stalled = 0;
    for (const StepMetrics& step : metrics) stalled += step.stall_seconds;
    tiles.push_back({"waiting", fmt::format("{:.1f} %", 100 * stalled / seconds), "of the time, for transfers"});
  }
  return tiles;
}

io::Table plan_table(const RunFacts& facts) {
  const auto bytes = [](std::int64_t count) { return io::quantity_text(static_cast<double>(count), io::Unit::bytes); };
  std::int64_t loaded = 0, stored = 0;
  for (const PhaseProfile& phase : facts.memory.phases) {
    loaded += phase.loaded_bytes;
    stored += phase.stored_bytes;
  }
  return {"Plan of a replica",
          {{"replicas", fmt::format("{}", facts.replicas)},
           {"samples a step", fmt::format("{}", facts.samples_per_step)},
           {"device memory, planned", bytes(facts.device_peak_bytes)},
           {"no placement needs less", bytes(facts.device_lower_bound_bytes)},
           {"budget", facts.device_budget_bytes > 0 ? bytes(facts.device_budget_bytes) : "none"},
           {"loaded a step", bytes(loaded)},
           {"stored a step", bytes(stored)},
           {"steps of the program", fmt::format("{}", facts.memory.steps)}}};
}

std::string text_if_there(const std::string& path) {
  return std::filesystem::exists(path) ? io::read_file("report", path) : "";
}

}  // namespace

RunRecord read_run(const std::string& folder) {
  check(std::filesystem::is_directory(folder), "report: '{}' is not a folder; expected the output folder of a run",
        folder);
  RunRecord run{.name = std::filesystem::path(folder + "/").lexically_normal().parent_path().filename().string(),
                .metrics = read_metrics(folder + "/metrics.jsonl"),
                .facts = {},
                .trace = {},
                .config = text_if_there(folder + "/config.yml"),
                .arena_picture = text_if_there(folder + "/arena.svg"),
                .evaluation = read_figures(folder + "/figures.json")};
  check(!run.metrics.empty(), "report: '{}/metrics.jsonl' has no steps yet", folder);
  if (std::filesystem::exists(folder + "/run.json")) run.facts = read_run_facts(folder + "/run.json");
  if (std::filesystem::exists(folder + "/trace.json")) run.trace = io::read_trace(folder + "/trace.json");
  return run;
}

io::Page make_report(const RunRecord& run) {
  io::Page page{.title = "Training run " + run.name,
                .subtitle = run.facts ? run.facts->summary : "",
                .tiles = make_tiles(run),
                .figures = {loss_figure(run.metrics), learning_rate_figure(run.metrics), throughput_figure(run.metrics),
                            stall_figure(run.metrics)},
                .tables = {},
                .preformatted_title = "Configuration",
                .preformatted = run.config};
  page.figures.insert(page.figures.end(), run.evaluation.begin(), run.evaluation.end());
  if (run.trace) {
    if (auto figure = timeline_figure(*run.trace)) page.figures.push_back(std::move(*figure));
  }
  if (run.facts) {
    page.figures.push_back(memory_figure(*run.facts));
    if (!run.arena_picture.empty()) page.figures.push_back(arena_figure(run.arena_picture));
    page.figures.push_back(traffic_figure(*run.facts));
  }
  if (run.trace) {
    if (auto figure = phase_time_figure(*run.trace)) page.figures.push_back(std::move(*figure));
  }
  if (run.facts) page.tables = {plan_table(*run.facts), {"Machine and versions", run.facts->machine}};
  return page;
}

std::string write_report(const std::string& folder) {
  const std::string html = io::to_html(make_report(read_run(folder)));
  const std::string path = folder + "/report.html";
  io::write_file_atomically(path, html);
  return path;
}

}  // namespace phasor::run
