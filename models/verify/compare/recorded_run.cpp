#include "models/verify/compare/recorded_run.h"

#include <algorithm>
#include <filesystem>

#include "engine/base/error.h"
#include "models/checkpoint/files.h"
#include "models/checkpoint/position.h"
#include "models/config/recorded_config.h"
#include "models/config/run_folder.h"
#include "models/report/metrics_log.h"

namespace phasor::run {

namespace {

namespace fs = std::filesystem;

VerifiedDifference difference(std::int64_t step, const char* what) {
  return {.place = {.step = step, .tensor = what, .shape = {1}}};
}

}  // namespace

RecordedRun::RecordedRun(const std::string& path) : path_(path) {
  if (!fs::is_directory(path)) {
    check(fs::exists(path), "verify: '{}' does not exist, expected the output folder of a run, or a checkpoint", path);
    add_checkpoint(path);
    return;
  }
  for (const StepMetrics& step : read_metrics(path + "/metrics.jsonl")) {
    if (!step.loss_sum) losses_[step.step] = step.loss;  // else a mean of several
    if (!step.fingerprint.empty()) fingerprints_[step.step] = step.fingerprint;
    last_step_ = std::max(last_step_, step.step);
  }
  check(last_step_ > 0, "verify: '{}/metrics.jsonl' has no steps yet", path);
  const std::string newest =
      fs::exists(path + "/config.yml") ? checkpoint_path(read_record(path).checkpoint, path) : path + "/checkpoint.h5";
  const CheckpointFiles files(newest, 0);
  for (const std::int64_t step : files.steps()) checkpoints_[step] = files.of_step(step);
  if (fs::exists(newest)) add_checkpoint(newest);
}

void RecordedRun::add_checkpoint(const std::string& file) {
  const std::int64_t step = read_position(file).step;
  checkpoints_.emplace(step, file);
  last_step_ = std::max(last_step_, step);
}

std::optional<double> RecordedRun::loss(std::int64_t step) const {
  const auto found = losses_.find(step);
  return found == losses_.end() ? std::nullopt : std::optional(found->second);
}
std::optional<std::string> RecordedRun::fingerprint(std::int64_t step) const {
  const auto found = fingerprints_.find(step);
  return found == fingerprints_.end() ? std::nullopt : std::optional(found->second);
}
std::optional<std::string> RecordedRun::checkpoint(std::int64_t step) const {
  const auto found = checkpoints_.find(step);
  return found == checkpoints_.end() ? std::nullopt : std::optional(found->second);
}

LogComparison compare_logs(const std::string& a, const std::string& b) {
  const RecordedRun mine(a), other(b);
  LogComparison result{.a = a, .b = b};
  for (std::int64_t step = 1; step <= std::min(mine.last_step(), other.last_step()) && !result.first; ++step) {
    const auto x = mine.loss(step), y = other.loss(step);
    const auto state = mine.fingerprint(step), other_state = other.fingerprint(step);
    if (x && y && numbers_of(*x, *y).a_bits != numbers_of(*x, *y).b_bits) {
      result.first = difference(step, "loss");
      result.first->numbers = numbers_of(*x, *y);
    } else if (state && other_state && *state != *other_state) {
      result.first = difference(step, "state");
      result.first->facts = fmt::format("fingerprints {} and {}", *state, *other_state);
    } else {
      if (x && y) ++result.losses;
      if (!state || !other_state) continue;
      ++result.fingerprints;
      result.last_same_state = step;
      result.last_fingerprint = *state;
    }
  }
  check(result.first || result.losses > 0, "verify: '{}' and '{}' have no step in common", a, b);
  return result;
}

}  // namespace phasor::run
