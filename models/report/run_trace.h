// The timeline of a run's steps, from what its replicas recorded.
#pragma once

#include "engine/program/execute/runner.h"
#include "io/trace/trace_file.h"

namespace phasor::run {

// An optimizer step as the host sees it, the writing of its batch included. Times as in TraceSpan.
struct TracedStep {
  std::int64_t step = 0;  // from 1
  std::int64_t begin = 0, end = 0;
};

// The process "host" has the steps, "replica 0" and so on, or "replica 0 device 0" where there are several, the rows
// "phases", "compute", "loads", "stores" and "collectives". Only what lies within the steps. Only between runs.
io::Trace make_trace(const Runner& runner, int replicas, const std::vector<TracedStep>& steps);

}  // namespace phasor::run
