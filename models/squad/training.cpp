#include "models/squad/training.h"

#include <chrono>
#include <cmath>
#include <filesystem>
#include <numeric>

#include "engine/train/trainer.h"
#include "models/architecture/model_config.h"
#include "models/report/run_report.h"
#include "models/run/data_order.h"
#include "models/run/first_weights.h"
#include "models/run/run_watch.h"
#include "models/run/stop_signals.h"
#include "models/squad/batch.h"
#include "models/squad/cache.h"
#include "models/squad/inputs.h"
#include "models/squad/resume.h"
#include "models/squad/scored_checkpoints.h"

namespace phasor::run {

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

double mean(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) /
         static_cast<double>(std::max<std::size_t>(1, values.size()));
}

// A run from its first step, or the one after a checkpoint's, to its end.
class TrainingRun {
 public:
  TrainingRun(const ResolvedRun& config, const std::string& config_yaml, const std::string& output,
              io::ProgressStyle style, const NamedTexts& machine_facts)
      : config_(config),
        output_(output),
        machine_facts_(machine_facts),
        style_(style),
        features_(load_features(config, config.data.train, false, style)),
        order_(static_cast<std::uint64_t>(config.seed), features_.size()),
        schedule_{.function = config.training.function,
                  .maximum = config.training.learning_rate,
                  .warmup_proportion = config.training.warmup_proportion,
                  .steps = total_steps(config.training, features_.size())},
        machine_(make_machine(config)),
        trainer_(architecture::training_stages(config.model, config.micro_batch_size, config.table_slices),
                 config.training.optimizer, config.execution, static_cast<int>(config.micro_batch_size), machine_),
        position_(start_of(config, config_yaml, features_)),
        checkpoints_(config, checkpoint_path(config.checkpoint, output), output, schedule_.steps, trainer_.stages(),
                     style) {
    const std::string& load = config.checkpoint.load;
    if (!load.empty()) check_same_run(load, read_position(load), position_);
    const RunPosition saved = load_first_weights(config, trainer_.stages(), trainer_.state(), style);
    position_.step = saved.step;
    position_.samples = first_sample_ = saved.samples;
    // Mistakes in data.dev show now, not when training is done.
    if (!config.data.dev.empty()) load_features(config, config.data.dev, true, style);
    trainer_.before_state_changes([this] { checkpoints_.wait_until_read(); });
  }

  TrainingOutcome run() {
    const std::int64_t stop_after = config_.training.stop_after;
    const std::int64_t end = stop_after > 0 ? std::min(stop_after, schedule_.steps) : schedule_.steps;
    const std::int64_t first = position_.step;
    const bool saved = is_same_place(config_.checkpoint.load, checkpoints_.path());
    tell_where_it_stands(saved);
    checkpoints_.go_on(first, saved);
    if (saved && first >= schedule_.steps) {
      make_missing_report();
      return outcome(first, 0);
    }
    const StopSignals signals;
    RunWatch watch(config_, output_, first, trainer_.runner(), machine_facts_);
    io::Progress progress("training", std::max<std::int64_t>(0, end - first), "steps", style_);
    const Clock::time_point start = Clock::now();
    while (position_.step < end && signals.received() == 0) {
      step(watch, progress);
      progress.advance();
      if (position_.step < end && checkpoints_.is_due(position_.step)) {
        watch.bring_to_disk();  // the log first: it has every step that a checkpoint counts
        checkpoints_.save(trainer_.state(), position_);
      }
    }
    const double seconds = seconds_since(start);
    progress.finish();
    watch.bring_to_disk();
    if (position_.step > first || !saved) checkpoints_.save_last(trainer_.state(), position_);
    watch.finish();
    TrainingOutcome result = outcome(first, seconds);
    result.stopped_by = signals.received();
    return result;
  }

 private:
  void step(RunWatch& watch, io::Progress& progress) {
    watch.begin_step();
    const Clock::time_point start = Clock::now();
    const double stalled = trainer_.runner().time_spent().transfer;
    const std::int64_t samples = order_.samples_of_step(position_.samples, config_.training.global_batch_size);
    const int micro_batches = write_batches(samples);
    const float rate = learning_rate(schedule_, position_.step);
    const double loss = trainer_.step({.step = position_.step,
                                       .seed = static_cast<std::uint64_t>(config_.seed),
                                       .learning_rate = rate,
                                       .loss_scale = config_.loss_scaling},
                                      micro_batches);
    check(std::isfinite(loss), "training: the loss of step {} is {}. Try a smaller learning rate or max_grad_norm",
          position_.step + 1, loss);
    position_.step += 1;
    position_.samples += samples;
    losses_.push_back(loss);
    watch.end_step({.step = position_.step,
                    .samples = samples,
                    .loss = loss,
                    .learning_rate = rate,
                    .samples_per_second = static_cast<double>(samples) / seconds_since(start),
                    .device_peak_bytes = trainer_.runner().plan().peak_bytes,
                    .stall_seconds = trainer_.runner().time_spent().transfer - stalled});
    const std::size_t shown = std::min<std::size_t>(losses_.size(), 20);
    progress.set_text(fmt::format("loss {:.4f}", mean(std::span(losses_).last(shown))));
  }

  // The next so many samples, in as few micro-batches on each replica as there must be, whose number it returns.
  int write_batches(std::int64_t samples) {
    const std::int64_t batch = config_.micro_batch_size;
    const std::int64_t together = config_.execution.replicas * batch;
    const int micro_batches = static_cast<int>((samples + together - 1) / together);
    // Every label counts: each of the samples has a start and an end.
    const float weight = 0.5f / static_cast<float>(samples);
    std::vector<std::int64_t> chosen(static_cast<std::size_t>(batch));
    std::int64_t first = 0;  // of the micro-batch's samples; behind the step's the last fills the places
    for (int replica = 0; replica < config_.execution.replicas; ++replica) {
      for (int m = 0; m < micro_batches; ++m, first += batch) {
        for (std::int64_t i = 0; i < batch; ++i) {
          chosen[static_cast<std::size_t>(i)] = order_.sample_at(position_.samples + std::min(first + i, samples - 1));
        }
        batch_.fill(features_, chosen, model_of(config_).sequence_length, weight,
                    std::clamp<std::int64_t>(samples - first, 0, batch));
        batch_.write(trainer_, replica, m);
      }
    }
    return micro_batches;
  }

  void tell_where_it_stands(bool saved) const {
    if (position_.step == 0 || style_ == io::ProgressStyle::Quiet) return;
    if (saved && position_.step >= schedule_.steps) {
      fmt::print(stderr, "'{}' is finished: it has done {} of {} steps\n", output_, position_.step, schedule_.steps);
    } else {
      fmt::print(stderr, "'{}' goes on behind step {} of {}\n", output_, position_.step, schedule_.steps);
    }
  }

  // Of a run that was killed behind its last save.
  void make_missing_report() const {
    if (config_.watch.report && !std::filesystem::exists(output_ + "/report.html")) write_report(output_);
  }

  TrainingOutcome outcome(std::int64_t first, double seconds) const {
    const std::size_t window = std::min(losses_.size(), std::max<std::size_t>(10, losses_.size() / 10));
    return {.steps = position_.step,
            .first_step = first,
            .schedule_steps = schedule_.steps,
            .loss = mean(std::span(losses_).last(window)),
            .first_loss = mean(std::span(losses_).first(window)),
            .seconds = seconds,
            .samples_per_second = seconds > 0 ? static_cast<double>(position_.samples - first_sample_) / seconds : 0,
            .device_peak_bytes = trainer_.runner().high_water_bytes(),
            .checkpoint = checkpoints_.path(),
            .scores = checkpoints_.scores()};
  }

  const ResolvedRun& config_;
  const std::string& output_;
  const NamedTexts& machine_facts_;
  io::ProgressStyle style_;
  SquadFeatures features_;
  DataOrder order_;
  Schedule schedule_;
  Machine machine_;
  Trainer trainer_;
  DenseBatch batch_;
  RunPosition position_;
  std::int64_t first_sample_ = 0;  // of this run
  std::vector<double> losses_;     // of this run's steps
  ScoredCheckpoints checkpoints_;  // last: ends while the state is there
};

}  // namespace

std::int64_t total_steps(const TrainingConfig& training, std::int64_t samples) {
  if (training.steps > 0) return training.steps;
  return steps_of_epochs(training.epochs, samples, training.global_batch_size);
}

TrainingOutcome train_squad(const ResolvedRun& config, const std::string& config_yaml, RunFolder& folder,
                            io::ProgressStyle style, const NamedTexts& machine, const std::function<void()>& begins) {
  check(!config.data.train.empty(), "data.train is missing. Give it a SQuAD JSON file");
  check_first_weights(config);
  folder.claim_checkpoint(checkpoint_path(config.checkpoint, folder.path()));
  TrainingRun run(config, config_yaml, folder.path(), style, machine);
  begins();
  folder.begin(config_yaml);
  return run.run();
}

TrainingOutcome train_squad(const ResolvedRun& config, const std::string& config_yaml, const std::string& output,
                            io::ProgressStyle style, const NamedTexts& machine) {
  RunFolder folder(output);
  return train_squad(config, config_yaml, folder, style, machine);
}

}  // namespace phasor::run
