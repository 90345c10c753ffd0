#include "models/own/training.h"

#include <cmath>
#include <cstring>

#include "models/checkpoint/checkpoint.h"
#include "models/config/load_config.h"
#include "models/own/micro_batch.h"
#include "models/plan/memory_use.h"
#include "models/run/finite_results.h"
#include "models/run/machine.h"

namespace phasor::own {

namespace {

bool is_setting(const std::string& key) {
  return key.starts_with("training.") || key.starts_with("execution.") || key == "model.precision" ||
         key == "model.seed";
}

// What a configuration says of an architecture does not count here.
run::ResolvedRun resolve(const Stages& stages, Settings settings) {
  for (const auto& [key, value] : settings) {
    check(is_setting(key),
          "'{}' says nothing of a model of one's own, whose stages are given; expected keys of "
          "training and execution, model.precision or model.seed",
          key);
  }
  const std::int64_t size = micro_batch_size(stages);
  const auto replicas = settings.find("execution.data_parallel");
  settings["execution.micro_batch_size"] = std::to_string(size);
  if (!settings.contains("training.global_batch_size")) {
    const std::int64_t count = replicas == settings.end() ? 1 : std::atoll(replicas->second.c_str());
    constexpr std::int64_t kMostReplicas = 1 << 16;  // what is wrong with more is told where they are read
    settings["training.global_batch_size"] = std::to_string(size * std::clamp<std::int64_t>(count, 1, kMostReplicas));
  }
  settings["data.cache"] = "none";
  // As small a model as there is, whose sizes come into nothing.
  for (const auto& [key, value] : {std::pair{"model.layers", "1"},
                                   {"model.hidden_size", "4"},
                                   {"model.heads", "1"},
                                   {"model.intermediate_size", "4"},
                                   {"model.vocab_size", "8"}}) {
    settings[key] = value;
  }
  run::ResolvedRun run = run::settle_defaults(run::load_config("", settings));
  if (!settings.contains("execution.recompute")) run.execution.recompute = Recompute::layer;
  return run;
}

// What a step's remote buffers take at the least, before any of it is reserved: weights with their moments, batches,
// activations between stages.
void check_room(const Stages& stages, const run::ResolvedRun& run) {
  const run::Budgets budgets = run::budgets_of(run);
  const std::optional<std::int64_t>& room = run.store.in_files ? budgets.files : budgets.host;
  if (!room) return;
  const OptimizerOptions& optimizer = run.training.optimizer;
  const int kept = 1 + (optimizer.keeps_moment1() ? 1 : 0) + (optimizer.keeps_moment2() ? 1 : 0);
  double parameters = 0, rows = 0;  // the rows of a micro-batch, in bytes
  for (const Stage& stage : stages) {
    for (const Variable& variable : stage.variables) {
      parameters += static_cast<double>(count_elements(stage, variable)) * stage.instances;
    }
    for (const NamedValue& input : stage.batch) rows += static_cast<double>(stage.graph.spec(input.value).bytes());
    if (stage.y.valid()) rows += static_cast<double>(stage.graph.spec(stage.y).bytes()) * stage.instances;
  }
  const double bytes =
      parameters * kept * static_cast<double>(size_of(DType::f32)) + rows * static_cast<double>(run.micro_batches());
  check(bytes <= static_cast<double>(*room),
        "model: its {:.4g} parameters, their moments and what passes between its stages take {:.4g} MiB, {} has {:.4g}",
        parameters, bytes / (1 << 20), run.store.in_files ? "execution.remote.path" : budgets.host_limit,
        mebibytes(*room));
}

Schedule schedule_of(const run::TrainingConfig& training) {
  const bool constant = training.function == Schedule::Function::constant && training.warmup_proportion == 0;
  check(training.steps > 0 || constant,
        "training.steps is missing: the learning rate follows from it, unless it is constant without warm-up");
  return {.function = training.function,
          .maximum = training.learning_rate,
          .minimum = training.minimum_rate,
          .warmup_proportion = training.warmup_proportion,
          .steps = std::max<std::int64_t>(1, training.steps),
          .power = training.power};
}

// Calls write(span) with micro-batch number m of an array, in its type.
template <class Write>
void with_part(const TensorView& array, const TensorSpec& spec, std::int64_t m, Write write) {
  const auto count = static_cast<std::size_t>(spec.elements());
  const auto* bytes = static_cast<const std::byte*>(array.data) + m * spec.bytes();
  if (spec.dtype == DType::f32) {
    write(std::span(reinterpret_cast<const float*>(bytes), count));
  } else {
    check(spec.dtype == DType::i32, "batch: arrays of {} are not supported, expected f32 or i32", name_of(spec.dtype));
    write(std::span(reinterpret_cast<const std::int32_t*>(bytes), count));
  }
}

// Writes `micro_batches` of each replica's.
template <class Target>
void write_batches(const Batch& batch, const Stages& stages, int replicas, int micro_batches, Target& target) {
  const FilledValues filled = fill_missing(stages, std::int64_t{replicas} * micro_batches);
  for (const auto& [name, spec] : batch_specs(stages)) {
    const auto given = batch.find(name);
    for (int replica = 0; replica < replicas; ++replica) {
      for (int m = 0; m < micro_batches; ++m) {
        if (given != batch.end()) {
          with_part(given->second, spec, std::int64_t{replica} * micro_batches + m,
                    [&](auto values) { target.write_batch(name, replica, m, values); });
        } else if (name == "segments") {
          target.template write_batch<std::int32_t>(name, replica, m, filled.segments);
        } else {
          target.template write_batch<float>(name, replica, m, filled.label_weights);
        }
      }
    }
  }
}

// Results of a micro-batch that is not full are cut, which takes some that have a part for each sample.
void check_results(const Stages& stages, std::int64_t size, std::int64_t samples) {
  for (const Stage& stage : stages) {
    for (const auto& [name, value] : stage.results) {
      const Shape& shape = stage.graph.spec(value).shape;
      check(samples % size == 0 || (shape.rank() > 0 && shape[0] % size == 0),
            "batch: {} samples are not a multiple of the model's micro-batch of {}, and result '{}' is {}: it has no "
            "part for each sample",
            samples, size, name, to_string(shape));
    }
  }
}

// Takes a batch that is written as the only micro-batch for one of several.
struct MicroBatchOf {
  template <class T>
  void write_batch(const std::string& name, int replica, int, std::span<const T> values) {
    predictor.write_batch(name, replica, number, values);
  }

  Predictor& predictor;
  int number;
};

// Appends the results of micro-batch m: of its first samples, where it is not full.
void read_results(const Predictor& predictor, int m, std::int64_t samples, std::int64_t size, Precision precision,
                  std::map<std::string, std::vector<float>>& results) {
  for (const Stage& stage : predictor.stages()) {
    for (const auto& [name, value] : stage.results) {
      std::vector<float>& all = results[name];
      const std::size_t before = all.size();
      all.resize(before + static_cast<std::size_t>(stage.graph.spec(value).elements()));
      predictor.read_result(name, 0, m, std::span(all).subspan(before));
      run::check_finite(name, std::span(all).subspan(before), precision);
      if (samples < size) all.resize(before + (all.size() - before) / size * samples);
    }
  }
}

}  // namespace

Training::Training(const Stages& stages, const Settings& settings)
    : run_(resolve(stages, settings)),
      size_(own::micro_batch_size(stages)),
      specs_(batch_specs(stages)),
      limits_(index_limits(stages)),
      schedule_(schedule_of(run_.training)),
      machine_(run::make_machine(run_)) {
  check_room(stages, run_);
  trainer_ =
      std::make_unique<Trainer>(stages, run_.training.optimizer, run_.execution, static_cast<int>(size_), machine_);
  trainer_->state().initialise(static_cast<std::uint64_t>(run_.seed));
}

float Training::learning_rate() const { return phasor::learning_rate(schedule_, position_); }

double Training::step(const Batch& batch) {
  const std::int64_t samples = check_batch(batch, specs_, limits_), together = size_ * run_.execution.replicas;
  check(samples % together == 0 && samples <= together * run_.execution.accumulation,
        "batch: {} samples are not a multiple of data_parallel × the model's micro-batch = {} × {}, up to "
        "training.global_batch_size {}",
        samples, run_.execution.replicas, size_, together * run_.execution.accumulation);
  const auto micro_batches = static_cast<int>(samples / together);
  write_batches(batch, trainer_->stages(), run_.execution.replicas, micro_batches, *trainer_);
  const double loss = trainer_->step({.step = position_,
                                      .seed = static_cast<std::uint64_t>(run_.seed),
                                      .learning_rate = learning_rate(),
                                      .loss_scale = run_.loss_scaling},
                                     micro_batches);
  check(std::isfinite(loss), "training: the loss of step {} is {}. Try a smaller learning rate or max_grad_norm",
        position_ + 1, loss);
  ++position_;
  return loss;
}

std::map<std::string, std::vector<float>> Training::predict(const Stages& stages, const Batch& batch) {
  const std::int64_t samples = check_batch(batch, batch_specs(stages), index_limits(stages)),
                     size = own::micro_batch_size(stages);
  check_results(stages, size, samples);
  trainer_->state();  // brings what is resident back
  ExecutionOptions execution = run_.execution;
  const int devices = execution.pipeline.devices;
  constexpr std::int64_t kMicroBatchesOfDevice = 4;  // most devices are busy then
  execution.accumulation = static_cast<int>(
      std::clamp<std::int64_t>((samples + size - 1) / size, 1, devices == 1 ? 1 : kMicroBatchesOfDevice * devices));
  execution.replicas = 1;
  std::map<std::string, std::vector<float>> results;
  Machine machine(memory_store(), 1, run_.all_threads() / devices, devices);
  Predictor predictor(stages, execution, machine);
  const std::vector<CanonicalTensor> to = canonical_tensors(predictor.stages()), from = tensors();
  check(to.size() == from.size(), "predict: these stages have {} tensors, the trained ones {}", to.size(), from.size());
  for (std::size_t t = 0; t < to.size(); ++t) {
    check(to[t].name == from[t].name && to[t].shape == from[t].shape,
          "predict: these stages have '{}' where the trained ones have '{}'", to[t].name, from[t].name);
    predictor.state().write(StateKind::weight, to[t], read(from[t]));
  }
  predictor.begin();
  const std::int64_t micro_batches = (samples + size - 1) / size;
  for (std::int64_t first = 0; first < micro_batches; first += execution.accumulation) {
    const auto count = static_cast<int>(std::min<std::int64_t>(execution.accumulation, micro_batches - first));
    for (int m = 0; m < count; ++m) {
      const MicroBatch part(batch, size, (first + m) * size);
      MicroBatchOf target{predictor, m};
      write_batches(part.arrays(), predictor.stages(), 1, 1, target);
    }
    predictor.run(count);
    for (int m = 0; m < count; ++m) {
      read_results(predictor, m, std::min(size, samples - (first + m) * size), size, execution.precision, results);
    }
  }
  return results;
}

void Training::save(const std::string& path) {
  run::save_checkpoint(path, trainer_->stages(), trainer_->state(),
                       {.step = position_, .seed = run_.seed, .config = "model: {}\n"});
}

void Training::load(const std::string& path) {
  run::load_checkpoint(path, trainer_->stages(), trainer_->state());
  position_ = run::read_position(path).step;
}

}  // namespace phasor::own
