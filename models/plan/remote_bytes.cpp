#include "models/plan/remote_bytes.h"

#include <map>

#include "engine/lower/buffers.h"
#include "engine/lower/units/placement.h"
#include "models/plan/planned_run.h"
#include "models/plan/small_run.h"

namespace phasor::run {

namespace {

RemoteContent content_of(StateKind kind, const Placement& placement) {
  switch (kind) {
    case StateKind::weight:
      return placement.rounds() ? RemoteContent::masters : RemoteContent::weights;
    case StateKind::rounded:
      return RemoteContent::weights;
    case StateKind::gradient:
      return RemoteContent::gradients;
    case StateKind::moment1:
    case StateKind::moment2:
      break;
  }
  return RemoteContent::moments;
}

// By the name of the buffer, of what has a name that is known beforehand.
std::map<std::string, RemoteContent> known_contents(const ResolvedRun& run, const Stages& stages) {
  constexpr StateKind kKinds[] = {StateKind::weight, StateKind::moment1, StateKind::moment2, StateKind::gradient,
                                  StateKind::rounded};
  std::map<std::string, RemoteContent> contents;
  for (const Stage& stage : stages) {
    for (const Variable& variable : stage.variables) {
      const Placement placement =
          place_variable(stage.graph.spec(variable.value), run.execution.replicas, run.execution.rts_threshold,
                         !run.training.optimizer.stochastic_rounding);
      for (const StateKind kind : kKinds) {  // of those that there are
        contents[state_buffer(kind, stage, variable, placement).name] = content_of(kind, placement);
      }
    }
  }
  const HostBuffers buffers{.program = "train"};
  for (int buffer = 0; buffer < static_cast<int>(place_boundaries(stages).counts.size()); ++buffer) {
    contents[buffers.activation(buffer, {}, 1).name] = RemoteContent::activations;
    contents[buffers.activation_gradient(buffer, {}, 1).name] = RemoteContent::activation_gradients;
  }
  contents[buffers.loss().name] = RemoteContent::batch;
  return contents;
}

RemoteBytes bytes_of_programs(const ResolvedRun& run, const Stages& stages, const Pipeline& pipeline) {
  const std::map<std::string, RemoteContent> known = known_contents(run, stages);
  RemoteBytes bytes{};
  for (const Buffer& buffer : pipeline.buffers()) {
    const auto found = known.find(buffer.spec.name);
    const bool is_sum = buffer.spec.name.ends_with(".sum");  // of groups of micro-batches
    const RemoteContent content = found != known.end()            ? found->second
                                  : buffer.origin == Origin::host ? RemoteContent::batch
                                  : is_sum                        ? RemoteContent::gradients
                                                                  : RemoteContent::kept_activations;
    bytes[static_cast<std::size_t>(content)] += buffer.spec.bytes(run.execution.replicas);
  }
  return bytes;
}

}  // namespace

RemoteBytes remote_bytes(const ResolvedRun& run) {
  const ResolvedRun small = small_run(run);
  return remote_bytes(run, pipeline_of(small, stages_of(small)));
}

// Rows are of layers, of micro-batches, or of both: each turn adds what the last one did.
RemoteBytes remote_bytes(const ResolvedRun& run, const Pipeline& small_programs) {
  const ResolvedRun small = small_run(run);
  const RemoteBytes bytes = bytes_of_programs(small, stages_of(small), small_programs);
  const auto with = [&](Turns more) {
    const ResolvedRun larger = small_run(run, more);
    const Stages stages = stages_of(larger);
    return bytes_of_programs(larger, stages, pipeline_of(larger, stages));
  };
  const auto [layers, micro_batches] = left_out(run);
  const RemoteBytes deeper = layers > 0 ? with({1, 0}) : bytes, longer = micro_batches > 0 ? with({0, 1}) : bytes;
  const RemoteBytes both = layers == 0 ? longer : micro_batches == 0 ? deeper : with({1, 1});
  RemoteBytes whole = bytes;
  for (std::size_t i = 0; i < kRemoteContents; ++i) {
    const std::int64_t of_layers = deeper[i] - bytes[i], of_micro_batches = longer[i] - bytes[i];
    const std::int64_t of_both = both[i] - bytes[i] - of_layers - of_micro_batches;
    whole[i] += of_layers * layers + of_micro_batches * micro_batches + of_both * layers * micro_batches;
  }
  return whole;
}

}  // namespace phasor::run
