#include "models/config/run_limits.h"

#include <algorithm>
#include <limits>
#include <string_view>
#include <thread>
#include <type_traits>

#include "engine/base/error.h"

namespace phasor::run {

namespace {

constexpr double kAny = std::numeric_limits<double>::infinity();
constexpr double kMostSize = 1 << 24, kMostLayers = 100'000, kMostAhead = 1 << 20, kMostTraced = 1000;
constexpr double kMostEpochs = 1e9, kMostLatency = 1e6;
constexpr double kMostFloat = std::numeric_limits<float>::max();

struct Range {
  std::string_view key;
  double least, most;
  std::string_view reason;  // of a bound that is not obvious
};

constexpr std::string_view kSize = "sizes are positive, and their products countable";
constexpr std::string_view kSpread = "it is a spread, which has no sign";
constexpr std::string_view kAhead = "no step has as many phases or calls to run ahead of";

constexpr Range kRanges[] = {
    {"model.layers", 1, kMostLayers, "a program lists the steps of each"},
    {"model.hidden_size", 1, kMostSize, kSize},
    {"model.heads", 1, kMostSize, kSize},
    {"model.intermediate_size", 1, kMostSize, kSize},
    {"model.sequence_length", 1, kMostSize, kSize},
    {"model.max_positions", 1, kMostSize, kSize},
    {"model.vocab_size", 1, kMostSize, kSize},
    {"model.token_types", 1, kMostSize, kSize},
    {"model.dropout_prob", 0, 1, "it is a probability"},
    {"model.layer_norm_eps", 0, 1, "it is added to variances, so that their root is real"},
    {"model.initializer_range", 0, kMostFloat, kSpread},
    {"model.seed", -kAny, kAny, ""},
    {"data.document_stride", 0, kMostSize, "it is a number of tokens"},
    {"data.max_query_length", 0, kMostSize, "it is a number of tokens"},
    {"data.max_answer_length", 1, kMostSize, "an answer has a token at least"},
    {"data.n_best", 1, kMostSize, "one answer at least is wanted"},
    {"data.null_score_threshold", -kMostFloat, kMostFloat, "it is compared with differences of logits"},
    {"training.steps", 0, kAny, ""},
    {"training.epochs", 0, kMostEpochs, "samples taken must be countable"},
    {"training.stop_after", 0, kAny, ""},
    {"training.global_batch_size", 1, kAny, ""},
    {"training.optimizer.learning_rate.maximum", 0, kMostFloat, "weights go down the gradient, not up"},
    {"training.optimizer.learning_rate.warmup_proportion", 0, 1, "it is a part of all steps"},
    {"training.optimizer.beta1", 0, 1, "it is the part of the mean that stays"},
    {"training.optimizer.beta2", 0, 1, "it is the part of the mean that stays"},
    {"training.optimizer.eps", 0, kMostFloat, "a divisor is to be positive"},
    {"training.optimizer.weight_decay", 0, kMostFloat, "weights are to shrink by it"},
    {"training.max_grad_norm", 0, kMostFloat, "norms have no sign; 0: no clipping"},
    {"execution.micro_batch_size", 1, kMostSize, kSize},
    {"execution.data_parallel", 1, kAny, ""},
    {"execution.threads_per_replica", 0, kAny, ""},
    {"execution.rts_threshold", 0, kAny, ""},
    {"execution.kept_layers", 0, kMostLayers, "it is a number of layers"},
    {"execution.prefetch_depth", -1, kMostAhead, kAhead},
    {"execution.loop_overlap", -1, kMostAhead, kAhead},
    {"execution.embedding_serialization_factor", 0, kMostSize, "a slice has one row at least"},
    {"execution.loss_scaling", 0, kMostFloat, "gradients are divided by it"},
    {"execution.remote.latency", 0, kMostLatency, "it is in seconds"},
    {"execution.trace", 0, kMostTraced, "every step of the program is recorded each time, and no viewer opens more"},
    {"checkpoint.every_steps", 0, kAny, ""},
    {"checkpoint.keep", 0, kAny, ""},
};

std::string bounds_text(const Range& range) {
  if (range.most == kAny) return fmt::format("less than {}", range.least);
  const bool sizes = range.most >= 1 && range.most <= kMostSize;
  return fmt::format("outside {:.3g} .. {:.{}g}", range.least, range.most, sizes ? 8 : 3);
}

template <class Number>
void check_range(const Range& range, Number value) {
  const auto number = static_cast<double>(value);
  check(number >= range.least && number <= range.most, "{} {} is {}{}{}", range.key, value, bounds_text(range),
        range.reason.empty() ? "" : ": ", range.reason);
}

// What no process can address, however large the machine: the half of 57 bits that is its own.
constexpr double kMostBytes = 0x1p56;
constexpr double kFloatBytes = 4, kStates = 4;  // weight, gradient and two moments

void check_bytes(double bytes, const std::string& arithmetic) {
  check(bytes <= kMostBytes, "{} = {:.3g} bytes, more than the {:.3g} that a process can address", arithmetic, bytes,
        kMostBytes);
}

void check_weights(const bert::Config& c) {
  const auto hidden = static_cast<double>(c.hidden_size), inner = static_cast<double>(c.intermediate_size);
  const double table = static_cast<double>(c.vocab_size + c.max_positions + c.token_types) * hidden;
  const double layer = 4 * hidden * (hidden + 1) + 2 * hidden * inner + inner + 5 * hidden;
  check_bytes(
      kFloatBytes * kStates * (c.layers * layer + table),
      fmt::format("weights, gradients and moments: 16 × (model.layers {} × (4 × model.hidden_size {}² + 2 × {} × "
                  "model.intermediate_size {}) + (model.vocab_size {} + model.max_positions {} + model.token_types {}) "
                  "× {})",
                  c.layers, c.hidden_size, c.hidden_size, c.intermediate_size, c.vocab_size, c.max_positions,
                  c.token_types, c.hidden_size));
}

// All that a layer makes of a token, whether it is kept or made again, but for the scores of attention.
void check_activations(const RunConfig& config) {
  const bert::Config& c = config.model;
  const auto tokens = static_cast<double>(c.sequence_length);
  const double token = 16 * static_cast<double>(c.hidden_size) + 4 * static_cast<double>(c.intermediate_size) +
                       static_cast<double>(c.heads) * tokens;
  check_bytes(kFloatBytes * static_cast<double>(config.training.global_batch_size) * (c.layers + 2) * tokens * token,
              fmt::format("activations: 4 × training.global_batch_size {} × (model.layers {} + 2) × "
                          "model.sequence_length {} × (16 × model.hidden_size {} + 4 × model.intermediate_size {} + "
                          "model.heads {} × {})",
                          config.training.global_batch_size, c.layers, c.sequence_length, c.hidden_size,
                          c.intermediate_size, c.heads, c.sequence_length));
}

// Programs have no loops: each lists what every micro-batch does in every layer.
void check_calls(const RunConfig& config) {
  constexpr double kMostCalls = 1 << 20;
  const double micro_batches = static_cast<double>(config.training.global_batch_size) /
                               static_cast<double>(config.execution.micro_batch_size) / config.execution.data_parallel;
  const double calls = (config.model.layers + 2) * micro_batches;
  check(calls <= kMostCalls,
        "(model.layers {} + 2) × training.global_batch_size {} / execution.micro_batch_size {} / "
        "execution.data_parallel {} = {:.3g} calls, more than the {:.0f} that a program may list. Larger micro-batches "
        "need fewer",
        config.model.layers, config.training.global_batch_size, config.execution.micro_batch_size,
        config.execution.data_parallel, calls, kMostCalls);
}

void check_threads(const ExecutionConfig& execution) {
  const double threads = static_cast<double>(execution.data_parallel) * std::max(1, execution.threads_per_replica);
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
  visit_fields(config, [](std::string_view key, const auto& field, const char*) {
    using Field = std::decay_t<decltype(field)>;
    if constexpr (std::is_arithmetic_v<Field> && !std::is_same_v<Field, bool>) {
      const auto range = std::ranges::find(kRanges, key, &Range::key);
      ensure(range != std::end(kRanges), "{} has no range", key);
      check_range(*range, field);
    }
  });
}

void check_totals(const RunConfig& config) {
  check_threads(config.execution);
  check_samples(config.training);
  check_weights(config.model);
  check_activations(config);
  check_calls(config);
}

std::int64_t most_threads() {
  constexpr std::int64_t kLargestMachine = 4096, kForEachProcessor = 16;
  return std::max(kLargestMachine, kForEachProcessor * static_cast<std::int64_t>(std::thread::hardware_concurrency()));
}

}  // namespace phasor::run
