// What a run writes about itself while it trains and when it is done: metrics.jsonl and run.json always; TensorBoard's
// event files, trace.json, report.html and its arena.svg as the configuration asks.
#pragma once

#include <optional>

#include "io/trace/event_file.h"
#include "models/config/resolved_run.h"
#include "models/report/metrics_log.h"
#include "models/report/run_facts.h"
#include "models/report/run_trace.h"

namespace phasor::run {

class RunWatch {
 public:
  // Continues after `steps_done`. The folder `output` exists; the runner outlives the watch. `machine` is for run.json.
  RunWatch(const ResolvedRun& config, const std::string& output, std::int64_t steps_done, Runner& runner,
           const NamedTexts& machine);

  // Around each optimizer step, in which nothing else uses the runner.
  void begin_step();
  void end_step(const StepMetrics& metrics);

  // Returns when the log of the steps so far is on the disk.
  void bring_to_disk() { log_.bring_to_disk(); }

  // After the last step.
  void finish();

 private:
  WatchConfig config_;
  std::string output_;
  int replicas_;
  Runner& runner_;
  MetricsLog log_;
  std::optional<io::EventFile> events_;
  int trace_steps_;                 // as many of the last steps until recording stops; 0: no trace
  std::vector<TracedStep> traced_;  // at most trace_steps_
  int seen_ = 0;                    // steps of this run
  std::int64_t step_begin_ = 0;
};

}  // namespace phasor::run
