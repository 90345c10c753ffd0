#include "io/figures/area_chart.h"
#include "io/figures/bar_chart.h"
#include "models/report/report_figures.h"

namespace phasor::run {

namespace {

constexpr int kMemoryHeight = 380;  // pixels
constexpr int kColours[kContents] = {io::kBlue, io::kRed, io::kOrange, io::kGold, io::kViolet, io::kTeal, io::kGrey};

// Whether a line at the budget leaves room enough for what is below it.
bool budget_fits(const RunFacts& facts) { return facts.device_budget_bytes <= 3 * facts.device_peak_bytes; }

io::AreaChart memory_chart(const RunFacts& facts) {
  const MemoryProfile& memory = facts.memory;
  io::AreaChart chart{.label = "Bytes of the device memory that are in use over a training step, by kind",
                      .x_title = "step of the program",
                      .y_title = "in use",
                      .y_unit = io::Unit::bytes,
                      .x = {},
                      .parts = {},
                      .levels = {{"planned", static_cast<double>(facts.device_peak_bytes)}},
                      .stretches = {}};
  if (facts.device_budget_bytes > 0 && budget_fits(facts)) {
    chart.levels.push_back({"budget", static_cast<double>(facts.device_budget_bytes)});
  }
  for (const MemorySample& sample : memory.samples) chart.x.push_back(sample.first);
  chart.x.push_back(memory.steps);
  for (std::size_t content = 0; content < kContents; ++content) {
    io::Part part{.name = std::string(kContentNames[content]), .colour = kColours[content], .values = {}};
    for (const MemorySample& sample : memory.samples) part.values.push_back(static_cast<double>(sample.bytes[content]));
    chart.parts.push_back(std::move(part));
  }
  for (const PhaseProfile& phase : memory.phases) {
    chart.stretches.push_back({phase.name, static_cast<double>(phase.first_step), static_cast<double>(phase.end_step)});
  }
  return chart;
}

}  // namespace

io::Figure memory_figure(const RunFacts& facts) {
  std::string note =
      "Bytes in use in a replica's arena while each step of the program runs. The fullest moment decides how large the "
      "arena is.";
  if (!budget_fits(facts)) {
    note += fmt::format(" The budget of {} is far above.",
                        io::quantity_text(static_cast<double>(facts.device_budget_bytes), io::Unit::bytes));
  }
  return {.title = "Device memory over a step",
          .note = note,
          .whole_width = true,
          .draw = [chart = memory_chart(facts)](int width) { return io::draw(chart, width, kMemoryHeight); }};
}

io::Figure traffic_figure(const RunFacts& facts) {
  io::BarChart chart{.label = "Bytes that a replica loads and stores in each phase of a step",
                     .unit = io::Unit::bytes,
                     .parts = {{"loaded", io::kTeal}, {"stored", io::kGold}},
                     .bars = {}};
  for (const PhaseProfile& phase : facts.memory.phases) {
    const std::string times = phase.instances > 1 ? fmt::format(" × {}", phase.instances) : "";
    chart.bars.push_back(
        {.name = phase.name + times,
         .values = {static_cast<double>(phase.loaded_bytes), static_cast<double>(phase.stored_bytes)}});
  }
  return {.title = "Bytes by phase",
          .note = "Between the device memory of a replica and remote memory, in every step.",
          .draw = [chart](int width) { return io::draw(chart, width); }};
}

io::Figure arena_figure(const std::string& svg) {
  return {.title = "The device memory, place by place",
          .note = "What lies where in the arena, and when.",
          .whole_width = true,
          .draw = {},
          .picture = svg};
}

}  // namespace phasor::run
