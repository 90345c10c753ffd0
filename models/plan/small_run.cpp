#include "models/plan/small_run.h"

#include <algorithm>
#include <numeric>

#include "models/architecture/model_config.h"

namespace phasor::run {

namespace {

// Layers, or micro-batches. Transfers that run so far ahead take as many copies of a slot, and one more.
std::int64_t count_of_a_turn(const ExecutionOptions& execution) {
  return std::lcm(std::int64_t{execution.prefetch_depth} + 1, std::int64_t{execution.loop_overlap} + 1);
}

// Begun, and gone on: behind that all turns are alike.
constexpr std::int64_t kTurnsThatDiffer = 2;

std::int64_t turns_to_spare(std::int64_t there_are, std::int64_t of_a_turn) {
  return std::max<std::int64_t>(0, (there_are - kTurnsThatDiffer * of_a_turn) / of_a_turn);
}

bool each_layer_counts(const ResolvedRun& run) {
  const ExecutionOptions& execution = run.execution;
  return execution.mode == Mode::monolithic || execution.pipeline.devices > 1 || execution.kept_stages > 0 ||
         !run.training.frozen.empty();  // by the numbers of layers
}
bool each_micro_batch_counts(const ResolvedRun& run) {
  return run.execution.pipeline.devices > 1 || run.execution.reproducible;
}

}  // namespace

Turns left_out(const ResolvedRun& run) {
  Turns turns;
  if (!each_layer_counts(run)) {
    turns.layers = turns_to_spare(architecture::layers(run.model), count_of_a_turn(run.execution));
  }
  if (!each_micro_batch_counts(run)) {
    turns.micro_batches = turns_to_spare(run.execution.accumulation, count_of_a_turn(run.execution));
  }
  return turns;
}

ResolvedRun shallow_run(const ResolvedRun& run, std::int64_t more) {
  ResolvedRun shallow = run;
  if (const std::int64_t turns = left_out(run).layers; turns > 0) {
    const std::int64_t fewer = (turns - more) * count_of_a_turn(run.execution);
    shallow.model = architecture::with_layers(run.model, architecture::layers(run.model) - static_cast<int>(fewer));
  }
  return shallow;
}

ResolvedRun small_run(const ResolvedRun& run, Turns more) {
  ResolvedRun small = shallow_run(run, more.layers);
  if (const std::int64_t turns = left_out(run).micro_batches; turns > 0) {
    const std::int64_t fewer = (turns - more.micro_batches) * count_of_a_turn(run.execution);
    small.execution.accumulation -= static_cast<int>(fewer);
  }
  return small;
}

}  // namespace phasor::run
