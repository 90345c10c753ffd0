#include "models/report/run_trace.h"

#include "engine/program/step_label.h"

namespace phasor::run {

namespace {

enum TraceRow : int { kPhaseRow, kComputeRow, kLoadRow, kStoreRow, kCollectiveRow, kTraceRows };
constexpr const char* kTraceRowNames[kTraceRows] = {"phases", "compute", "loads", "stores", "collectives"};

TraceRow row_of(StepKind kind) {
  switch (kind) {
    case StepKind::load:
      return kLoadRow;
    case StepKind::store:
      return kStoreRow;
    case StepKind::gather:
    case StepKind::reduce_scatter:
    case StepKind::all_reduce:
    case StepKind::send:
    case StepKind::receive:
      return kCollectiveRow;
    default:
      return kComputeRow;
  }
}

// What the viewer may filter by: of a call, the part of the training step that it belongs to.
std::string kind_of(const Program& program, const Step& step) {
  switch (row_of(step.kind)) {
    case kLoadRow:
      return "load";
    case kStoreRow:
      return "store";
    case kCollectiveRow:
      return "collective";
    default:
      break;
  }
  if (step.kind == StepKind::wait) return "wait";
  if (step.kind != StepKind::call) return "other";
  switch (const GraphKind kind = program.graphs[program.calls[step.call].graph].kind) {
    case GraphKind::forward:
    case GraphKind::gradient:
    case GraphKind::update:
      return std::string(to_string(kind));
    case GraphKind::pack:
    case GraphKind::square_sum:
    case GraphKind::clip:
      return "other";
  }
  return "other";
}

io::TraceEvent event_of(const Program& program, const TraceSpan& span, int first_track) {
  if (span.what < 0) {
    const Phase& phase = program.phases[static_cast<std::size_t>(~span.what)];
    return {.track = first_track + kPhaseRow, .name = phase_label(phase), .kind = "phase", .phase = phase.name};
  }
  const Step& step = program.steps[static_cast<std::size_t>(span.what)];
  const Phase& phase = phase_of_step(program, span.what);
  io::TraceEvent event{.track = first_track + row_of(step.kind),
                       .name = fmt::format("{} / {}", phase_label(phase), step_label(program, step)),
                       .kind = kind_of(program, step),
                       .phase = phase.name};
  if (step.slot >= 0) event.numbers.emplace_back("bytes", program.slots[step.slot].bytes);
  if (step.turn >= 0) event.numbers.emplace_back("turn", step.turn);
  return event;
}

}  // namespace

io::Trace make_trace(const Runner& runner, int replicas, const std::vector<TracedStep>& steps) {
  io::Trace trace{.tracks = {{"host", "optimizer steps"}}, .events = {}};
  if (steps.empty()) return trace;
  const std::int64_t start = steps.front().begin, end = steps.back().end;
  const auto seconds = [](std::int64_t nanoseconds) { return static_cast<double>(nanoseconds) * 1e-9; };
  for (const TracedStep& step : steps) {
    trace.events.push_back({.track = 0,
                            .name = fmt::format("step {}", step.step),
                            .kind = "step",
                            .begin = seconds(step.begin - start),
                            .seconds = seconds(step.end - step.begin),
                            .numbers = {}});
  }
  for (int number = 0; number < replicas * runner.devices(); ++number) {
    const int replica = number / runner.devices(), device = number % runner.devices();
    const auto first_track = static_cast<int>(trace.tracks.size());
    const std::string process = runner.devices() == 1 ? fmt::format("replica {}", replica)
                                                      : fmt::format("replica {} device {}", replica, device);
    for (const char* name : kTraceRowNames) trace.tracks.push_back({process, name});
    for (const TraceSpan& span : runner.trace(replica, device)) {
      if (span.begin < start || span.end > end) continue;
      io::TraceEvent event = event_of(runner.program(device), span, first_track);
      event.begin = seconds(span.begin - start);
      event.seconds = seconds(span.end - span.begin);
      trace.events.push_back(std::move(event));
    }
  }
  return io::separate_overlaps(trace);
}

}  // namespace phasor::run
