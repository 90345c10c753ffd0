#include <algorithm>
#include <map>

#include "io/figures/bar_chart.h"
#include "io/figures/timeline_chart.h"
#include "models/report/report_figures.h"

namespace phasor::run {

namespace {

constexpr std::size_t kReplicasShown = 4;

struct KindColour {
  const char* kind;
  int colour;
  const char* name;
};
constexpr KindColour kTraceKinds[] = {
    {"forward", io::kBlue, "forward"}, {"gradient", io::kViolet, "gradient"},       {"update", io::kGreen, "update"},
    {"other", io::kGrey, "other"},     {"collective", io::kOrange, "collective"},   {"load", io::kTeal, "load"},
    {"store", io::kGold, "store"},     {"wait", io::kRed, "waiting for a transfer"}};

int colour_of(const std::string& kind) {
  const auto found = std::ranges::find(kTraceKinds, kind, &KindColour::kind);
  return found == std::end(kTraceKinds) ? io::kGrey : found->colour;
}

double end_of(const io::TraceEvent& event) { return event.begin + event.seconds; }

// The one of median duration among the optimizer steps; nullptr if there is none.
const io::TraceEvent* median_step(const io::Trace& trace) {
  std::vector<const io::TraceEvent*> steps;
  for (const io::TraceEvent& event : trace.events) {
    if (event.kind == "step") steps.push_back(&event);
  }
  if (steps.empty()) return nullptr;
  std::ranges::stable_sort(steps, {}, [](const io::TraceEvent* step) { return step->seconds; });
  return steps[(steps.size() - 1) / 2];
}

bool within(const io::TraceEvent& event, const io::TraceEvent& step) {
  constexpr double kRounding = 2e-9;
  return event.begin >= step.begin - kRounding && end_of(event) <= end_of(step) + kRounding;
}

bool is_first_device(const io::TraceTrack& track) {
  return track.process == "replica 0" || track.process == "replica 0 device 0";
}

// Phases of one name in a row are one.
std::vector<io::Box> phases_within(const io::Trace& trace, const io::TraceEvent& step) {
  std::vector<io::Box> boxes;
  for (const io::TraceEvent& event : trace.events) {
    const bool counts = event.kind == "phase" && within(event, step) &&
                        is_first_device(trace.tracks[static_cast<std::size_t>(event.track)]);
    if (!counts) continue;
    if (const std::string& name = event.phase; !boxes.empty() && boxes.back().name == name) {
      boxes.back().end = end_of(event);
    } else {
      boxes.push_back({.begin = event.begin, .end = end_of(event), .name = name});
    }
  }
  return boxes;
}

// A row for every track on which something happened, of a few replicas.
std::vector<io::TimelineRow> rows_within(const io::Trace& trace, const io::TraceEvent& step) {
  std::vector<std::string> replicas;
  std::vector<io::TimelineRow> rows(trace.tracks.size());
  for (std::size_t t = 0; t < trace.tracks.size(); ++t) {
    rows[t].name = trace.tracks[t].name;
    const std::string& process = trace.tracks[t].process;
    if (process != "host" && std::ranges::find(replicas, process) == replicas.end()) replicas.push_back(process);
  }
  const auto shown_end = replicas.begin() + static_cast<std::ptrdiff_t>(std::min(replicas.size(), kReplicasShown));
  for (const io::TraceEvent& event : trace.events) {
    const io::TraceTrack& track = trace.tracks[static_cast<std::size_t>(event.track)];
    const bool shown = std::find(replicas.begin(), shown_end, track.process) != shown_end;
    if (!shown || event.kind == "phase" || !within(event, step)) continue;
    io::TimelineRow& row = rows[static_cast<std::size_t>(event.track)];
    if (replicas.size() > 1) row.name = track.process + ", " + track.name;
    row.boxes.push_back({event.begin, end_of(event), colour_of(event.kind), event.name});
  }
  std::erase_if(rows, [](const io::TimelineRow& row) { return row.boxes.empty(); });
  return rows;
}

std::vector<io::LegendEntry> legend_of(const std::vector<io::TimelineRow>& rows) {
  std::vector<io::LegendEntry> legend;
  for (const auto& [kind, colour, name] : kTraceKinds) {
    const bool used = std::ranges::any_of(rows, [c = colour](const io::TimelineRow& row) {
      return std::ranges::find(row.boxes, c, &io::Box::colour) != row.boxes.end();
    });
    if (used) legend.push_back({name, colour});
  }
  return legend;
}

}  // namespace

std::optional<io::Figure> timeline_figure(const io::Trace& trace) {
  const io::TraceEvent* const step = median_step(trace);
  if (step == nullptr) return std::nullopt;
  io::TimelineChart chart{.label = "What each replica computed and moved during one optimizer step",
                          .colours = {},
                          .rows = rows_within(trace, *step),
                          .stretches = phases_within(trace, *step),
                          .begin = step->begin,
                          .end = end_of(*step)};
  chart.colours = legend_of(chart.rows);
  return io::Figure{.title = "Timeline of a step",
                    .note = fmt::format("Optimizer {}, measured: {}. trace.json shows more in ui.perfetto.dev.",
                                        step->name, io::quantity_text(step->seconds, io::Unit::seconds)),
                    .whole_width = true,
                    .draw = [chart](int width) { return io::draw(chart, width); }};
}

std::optional<io::Figure> phase_time_figure(const io::Trace& trace) {
  const io::TraceEvent* const step = median_step(trace);
  if (step == nullptr) return std::nullopt;
  struct Times {
    double all = 0, compute = 0, collective = 0;
  };
  std::vector<std::string> order;
  std::map<std::string, Times> times;
  for (const io::TraceEvent& event : trace.events) {
    if (!is_first_device(trace.tracks[static_cast<std::size_t>(event.track)]) || !within(event, *step)) continue;
    Times& spent = times[event.phase];
    if (event.kind == "phase") {
      if (spent.all == 0) order.push_back(event.phase);
      spent.all += event.seconds;
    } else if (event.kind == "collective") {
      spent.collective += event.seconds;
    } else if (event.kind != "load" && event.kind != "store" && event.kind != "wait") {
      spent.compute += event.seconds;
    }
  }
  io::BarChart chart{.label = "Seconds of one optimizer step by phase",
                     .unit = io::Unit::seconds,
                     .parts = {{"compute", io::kViolet}, {"collectives", io::kOrange}, {"transfers", io::kTeal}},
                     .bars = {}};
  for (const std::string& phase : order) {
    const Times& spent = times[phase];
    chart.bars.push_back(
        {.name = phase,
         .values = {spent.compute, spent.collective, std::max(0.0, spent.all - spent.compute - spent.collective)}});
  }
  return io::Figure{.title = "Time by phase",
                    .note = "Replica 0 in the step of the timeline; transfers only as far as compute had to wait.",
                    .draw = [chart](int width) { return io::draw(chart, width); }};
}

}  // namespace phasor::run
