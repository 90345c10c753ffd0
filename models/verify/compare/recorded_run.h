// What a run has left of its steps, for another run to be held against: its log, with losses and fingerprints, and its
// checkpoints.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "models/verify/compare/result.h"

namespace phasor::run {

class RecordedRun {
 public:
  // The output folder of a run, or a checkpoint alone. A UserError where it is neither, or has nothing.
  explicit RecordedRun(const std::string& path);

  const std::string& path() const { return path_; }
  std::int64_t last_step() const { return last_step_; }
  // Of a step, from 1, as far as it is known: the loss; the fingerprint of the state behind it; the file with that
  // state.
  std::optional<double> loss(std::int64_t step) const;
  std::optional<std::string> fingerprint(std::int64_t step) const;
  std::optional<std::string> checkpoint(std::int64_t step) const;

 private:
  void add_checkpoint(const std::string& file);

  std::string path_;
  std::int64_t last_step_ = 0;
  std::map<std::int64_t, double> losses_;
  std::map<std::int64_t, std::string> fingerprints_, checkpoints_;
};

// The logs of two runs, step by step.
struct LogComparison {
  std::string a, b;                           // folders
  std::int64_t losses = 0, fingerprints = 0;  // that both have, as far as they are equal
  std::int64_t last_same_state = 0;           // the step of the last equal fingerprint; 0: none
  std::string last_fingerprint;               // that one
  std::optional<VerifiedDifference> first;    // in what the first step differs that does

  bool equal() const { return !first; }
};

// A UserError where they have no step in common.
LogComparison compare_logs(const std::string& a, const std::string& b);

}  // namespace phasor::run
