#include "models/squad/scored_checkpoints.h"

#include "engine/base/error.h"
#include "models/squad/inputs.h"
#include "models/squad/training.h"

namespace phasor::run {

namespace {

// Tells of a save that failed in the middle of the run. Whether there was nothing to tell.
bool report(const std::string& failure) {
  if (!failure.empty()) fmt::print(stderr, "training: {}; training goes on\n", failure);
  return failure.empty();
}

}  // namespace

ScoredCheckpoints::ScoredCheckpoints(const ResolvedRun& config, const std::string& path, const std::string& output,
                                     std::int64_t last_step, const Stages& stages, io::ProgressStyle style)
    : config_(config),
      log_path_(output + "/evaluations.jsonl"),
      last_step_(last_step),
      style_(style),
      saver_(CheckpointFiles(path, config.checkpoint.keep), {.deflate = config.deflate_level}, stages) {
  saver_.check_can_save();
}

bool ScoredCheckpoints::is_due(std::int64_t step) const {
  const std::int64_t every = config_.checkpoint.every_steps;
  return step == last_step_ || (every > 0 && step > 0 && step % every == 0);
}

void ScoredCheckpoints::go_on(std::int64_t step, bool saved) {
  log_.emplace(log_path_, step);
  // One that saved at other steps may have ended here.
  if (saved && is_numbered(step)) saver_.files().make_numbered(step);
  saver_.tidy(step, log_->best_step());
  if (saved) evaluate_once(step);
}

void ScoredCheckpoints::start(const ModelState& state, const RunPosition& position) {
  report(saver_.finish());
  saver_.start(state, position, is_numbered(position.step), log_->best_step());
}

void ScoredCheckpoints::save(const ModelState& state, const RunPosition& position) {
  start(state, position);
  // What is scored is what is on the disk.
  if (config_.checkpoint.evaluate && report(saver_.finish())) evaluate(position.step);
}

void ScoredCheckpoints::save_last(const ModelState& state, const RunPosition& position) {
  report(saver_.finish(style_));
  // A run that is told to end while it saves has nothing else to save.
  if (saver_.saved_step() != position.step) {
    start(state, position);
    const std::string failure = saver_.finish(style_);
    check(failure.empty(), "training: {}", failure);
  }
  evaluate_once(position.step);
}

void ScoredCheckpoints::evaluate_once(std::int64_t step) {
  if (config_.checkpoint.evaluate && is_due(step) && log_->last_step() != step) evaluate(step);
}

void ScoredCheckpoints::evaluate(std::int64_t step) {
  ResolvedRun config = config_;
  config.checkpoint.load = path();
  scores_ = evaluate_squad(config, style_);
  log_->write(step, *scores_);
  if (config_.checkpoint.every_steps > 0 && log_->best_step() == step) saver_.files().make_best(step);
}

}  // namespace phasor::run
