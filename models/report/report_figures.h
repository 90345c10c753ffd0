// The figures of a run's report, each from plain data.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "io/figures/page.h"
#include "io/trace/trace_file.h"
#include "models/report/metrics_log.h"
#include "models/report/run_facts.h"

namespace phasor::run {

// Curves over optimizer steps.
io::Figure loss_figure(const std::vector<StepMetrics>& metrics);
io::Figure learning_rate_figure(const std::vector<StepMetrics>& metrics);
io::Figure throughput_figure(const std::vector<StepMetrics>& metrics);
io::Figure stall_figure(const std::vector<StepMetrics>& metrics);

// The traced step of median duration: what each replica did when, and how long its phases took. Nothing where the trace
// holds no step.
std::optional<io::Figure> timeline_figure(const io::Trace& trace);
std::optional<io::Figure> phase_time_figure(const io::Trace& trace);

// What the plan says about every step.
io::Figure memory_figure(const RunFacts& facts);
io::Figure traffic_figure(const RunFacts& facts);

// Where everything lies in the device memory: a picture that somebody else drew, as it is.
io::Figure arena_figure(const std::string& svg);

}  // namespace phasor::run
