#include "models/config/run_limits.h"

#include <algorithm>
#include <string_view>
#include <thread>
#include <type_traits>

#include "engine/base/error.h"
#include "models/architecture/model_config.h"

namespace phasor::run {

namespace {

using fields::Range, fields::kAny, fields::kMostSize;

std::string bounds_text(const Range& range) {
  if (range.most == kAny) return fmt::format("less than {}", range.least);
  const bool sizes = range.most >= 1 && range.most <= kMostSize;
  return fmt::format("outside {:.3g} .. {:.{}g}", range.least, range.most, sizes ? 8 : 3);
}

template <class Number>
void check_range(std::string_view key, const Range& range, Number value) {
  const auto number = static_cast<double>(value);
  check(number >= range.least && number <= range.most, "{} {} is {}{}{}", key, value, bounds_text(range),
        range.reason.empty() ? "" : ": ", range.reason);
}

// Programs have no loops: each lists what every micro-batch does in every layer.
void check_calls(const RunConfig& config) {
  const int layers = architecture::layers(config.model);
  const double micro_batches = static_cast<double>(config.training.global_batch_size) /
                               static_cast<double>(config.execution.micro_batch_size) / config.execution.data_parallel;
  const double calls = (layers + 2) * micro_batches;
  check(calls <= static_cast<double>(kMostCalls),
        "(model.layers {} + 2) × training.global_batch_size {} / execution.micro_batch_size {} / "
        "execution.data_parallel {} = {:.3g} calls, more than the {} that a program may list. Larger micro-batches "
        "need fewer",
        layers, config.training.global_batch_size, config.execution.micro_batch_size, config.execution.data_parallel,
        calls, kMostCalls);
}

void check_threads(const ExecutionConfig& execution) {
  const double of_devices = static_cast<double>(execution.data_parallel) * std::max(1, execution.threads_per_replica);
  const double threads = of_devices * execution.pipeline.devices;
  check(of_devices > static_cast<double>(most_threads()) || threads <= static_cast<double>(most_threads()),
        "execution.data_parallel × execution.threads_per_replica × execution.pipeline.devices = {} × {} × {} = {:.0f} "
        "threads, expected at most {}",
        execution.data_parallel, std::max(1, execution.threads_per_replica), execution.pipeline.devices, threads,
        most_threads());
  check(threads <= static_cast<double>(most_threads()),
        "execution.data_parallel × execution.threads_per_replica = {} × {} = {:.0f} threads, expected at most {}",
        execution.data_parallel, std::max(1, execution.threads_per_replica), threads, most_threads());
}

void check_samples(const TrainingConfig& training) {
  std::int64_t samples = 0;
  check(!__builtin_mul_overflow(training.steps, training.global_batch_size, &samples),
        "training.steps × training.global_batch_size = {} × {} is more samples than can be counted", training.steps,
        training.global_batch_size);
}

}  // namespace

void check_ranges(const RunConfig& config) {
  visit_fields(config, [](std::string_view key, const auto& field, const fields::Facts& facts) {
    using Field = std::decay_t<decltype(field)>;
    if constexpr (std::is_arithmetic_v<Field> && !std::is_same_v<Field, bool>) {
      ensure(facts.range.has_value(), "{} has no range", key);
      check_range(key, *facts.range, field);
    }
  });
}

void check_totals(const RunConfig& config) {
  check_threads(config.execution);
  check_samples(config.training);
  architecture::check_totals(config.model, config.training.global_batch_size);
  check_calls(config);
}

std::int64_t most_threads() {
  constexpr std::int64_t kLargestMachine = 4096, kForEachProcessor = 16;
  return std::max(kLargestMachine, kForEachProcessor * static_cast<std::int64_t>(std::thread::hardware_concurrency()));
}

}  // namespace phasor::run
