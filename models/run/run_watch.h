// What a run writes about itself while it trains and when it is done: metrics.jsonl and run.json always; TensorBoard's
// event files, trace.json, report.html and its arena.svg as the configuration asks.
#pragma once

#include <optional>

#include "engine/train/trainer.h"
#include "io/trace/event_file.h"
#include "models/checkpoint/fingerprinter.h"
#include "models/config/resolved_run.h"
#include "models/report/metrics_log.h"
#include "models/report/run_facts.h"
#include "models/report/run_trace.h"

namespace phasor::run {

class RunWatch {
 public:
  // Continues after `steps_done`. The folder `output` exists; the trainer outlives the watch. `machine` is for
  // run.json.
  RunWatch(const ResolvedRun& config, const std::string& output, std::int64_t steps_done, Trainer& trainer,
           const NamedTexts& machine);

  // Around optimizer steps that run without the host in between, in which nothing else uses the trainer.
  void begin_steps();
  // They were `steps`. Where training.fingerprint asks for that of the last one, it is made beside the next ones, and
  // the step's line waits for it.
  void end_steps(std::span<const StepMetrics> steps);

  // Whether the host has to see the state behind a step, or the step alone.
  bool wants(std::int64_t step) const;
  bool is_recording() const { return trace_steps_ > 0 && seen_ <= trace_steps_; }

  // The line of steps that are to be told of.
  void tell(const StepMetrics& line);

  // Returns when a replica may change the state (Trainer::before_state_changes). Any thread.
  void wait_until_read() const { fingerprinter_.wait_until_read(); }

  // Returns when the log of the steps so far is on the disk.
  void bring_to_disk();

  // After the last step.
  void finish();

 private:
  void write_held_line();

  WatchConfig config_;
  std::string output_;
  int replicas_;
  Trainer& trainer_;
  Runner& runner_;
  MetricsLog log_;
  std::optional<StepMetrics> held_;  // the last step's, whose fingerprint is under way
  Fingerprinter fingerprinter_;
  std::optional<io::EventFile> events_;
  int trace_steps_;                 // as many of the last steps until recording stops; 0: no trace
  std::vector<TracedStep> traced_;  // at most trace_steps_
  int seen_ = 0;                    // steps of this run
  bool fingerprints_ = false;       // that of the last step is under way
  std::int64_t step_begin_ = 0;
};

}  // namespace phasor::run
