// metrics.jsonl: a line an optimizer step, or for several, as they happen.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "io/files/line_log.h"

namespace phasor::run {

// Of a step or, in a line of the log, of `steps` that end with it.
struct StepMetrics {
  std::int64_t step = 0;     // from 1
  std::int64_t steps = 1;    // that it tells of: their samples and stalls, and the rest of the last one
  std::int64_t samples = 0;  // that it took; 0: not known, of a log from before
  double loss = 0;
  std::optional<double> loss_sum;  // over the steps, whose mean the loss then is; nothing where none was asked for
  double learning_rate = 0;
  std::optional<double> gradient_norm;  // before clipping; nothing where none is clipped
  double samples_per_second = 0;
  std::int64_t device_peak_bytes = 0;
  double stall_seconds = 0;  // that replica 0 waited for transfers
  std::string fingerprint;   // of the state behind the step (checkpoint/fingerprint.h); empty: none was made
};

// Means of the loss over the first and over the last tenth of the steps, ten at least; 0 of no steps.
struct LossTrend {
  double first = 0, last = 0;
};
LossTrend loss_trend(std::span<const StepMetrics> metrics);

// The lines of a log; a last one that was cut off is left out.
std::vector<StepMetrics> read_metrics(const std::string& path);

class MetricsLog {
 public:
  // Continues a log after `steps_done`: lines of later steps, from a run that got further than its checkpoint, go.
  MetricsLog(const std::string& path, std::int64_t steps_done);

  void write(const StepMetrics& metrics);
  void bring_to_disk() { log_.bring_to_disk(); }
  std::int64_t lines() const { return lines_; }  // those of earlier runs included

 private:
  MetricsLog(const std::string& path, const std::vector<std::string>& kept);

  io::LineLog log_;
  std::int64_t lines_ = 0;
};

}  // namespace phasor::run
