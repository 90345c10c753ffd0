#include "models/run/scored_checkpoints.h"

#include <filesystem>

#include "engine/base/error.h"
#include "models/config/run_folder.h"
#include "models/report/figures_file.h"

namespace phasor::run {

void keep_figures(const std::string& output, const Scores& scores) {
  if (!scores.figures.empty()) write_figures(output + "/figures.json", scores.figures);
}

ScoredCheckpoints::ScoredCheckpoints(const Task& task, const ResolvedRun& config, const std::string& output,
                                     std::int64_t last_step, const Stages& stages, io::Listener& listener)
    : task_(task),
      config_(config),
      output_(output),
      last_step_(last_step),
      listener_(listener),
      saver_(CheckpointFiles(checkpoint_path(config.checkpoint, output), config.checkpoint.keep),
             {.deflate = config.deflate_level}, stages) {
  saver_.check_can_save();
}

bool ScoredCheckpoints::is_due(std::int64_t step) const {
  const std::int64_t every = config_.checkpoint.every_steps;
  return step == last_step_ || (every > 0 && step > 0 && step % every == 0);
}

void ScoredCheckpoints::go_on(std::int64_t step, bool saved) {
  log_.emplace(output_ + "/evaluations.jsonl", step, task_.measure());
  // A run that saved at other steps may have ended here, or one that was killed before its file had this name.
  const CheckpointFiles& files = saver_.files();
  if (saved && is_numbered(step) && !std::filesystem::exists(files.of_step(step))) files.make_numbered(step);
  saver_.tidy(step, log_->best_step());
  if (saved) evaluate_once(step);
}

bool ScoredCheckpoints::succeeded(const std::string& failure) {
  if (!failure.empty()) listener_.warning(fmt::format("training: {}; training goes on", failure));
  return failure.empty();
}

void ScoredCheckpoints::start(const ModelState& state, const RunPosition& position) {
  succeeded(saver_.finish());
  saver_.start(state, position, is_numbered(position.step), log_->best_step());
}

void ScoredCheckpoints::save(const ModelState& state, const RunPosition& position) {
  start(state, position);
  // What is scored is what is on the disk.
  if (config_.checkpoint.evaluate && succeeded(saver_.finish())) evaluate(position.step);
}

void ScoredCheckpoints::save_last(const ModelState& state, const RunPosition& position) {
  succeeded(saver_.finish(listener_));
  // A run that is told to end while it saves has nothing else to save.
  if (saver_.saved_step() != position.step) {
    start(state, position);
    const std::string failure = saver_.finish(listener_);
    const bool is_saved = saver_.saved_step() == position.step;
    check(is_saved, "training: {}", failure);
    if (!failure.empty()) listener_.warning("training: " + failure);
  }
  evaluate_once(position.step);
}

void ScoredCheckpoints::evaluate_once(std::int64_t step) {
  if (config_.checkpoint.evaluate && is_due(step) && log_->last_step() != step) evaluate(step);
}

void ScoredCheckpoints::evaluate(std::int64_t step) {
  ResolvedRun config = config_;
  config.checkpoint.load = path();
  scores_ = task_.evaluate(config, listener_);
  log_->write(step, *scores_);
  keep_figures(output_, *scores_);
  if (config_.checkpoint.every_steps > 0 && log_->best_step() == step) saver_.files().make_best(step);
}

}  // namespace phasor::run
