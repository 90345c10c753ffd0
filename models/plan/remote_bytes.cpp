#include "models/plan/remote_bytes.h"

#include <map>

#include "engine/lower/buffers.h"
#include "engine/lower/units/placement.h"
#include "models/architecture/model_config.h"
#include "models/plan/planned_run.h"

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
  const ResolvedRun shallow = shallow_run(run);
  return remote_bytes(run, pipeline_of(shallow, stages_of(shallow)));
}

// Every buffer has rows for as many stage instances as there are: each turn of layers adds what the last one did.
RemoteBytes remote_bytes(const ResolvedRun& run, const Pipeline& shallow_programs) {
  const ResolvedRun shallow = shallow_run(run);
  const std::int64_t left_out = architecture::layers(run.model) - architecture::layers(shallow.model);
  RemoteBytes bytes = bytes_of_programs(shallow, stages_of(shallow), shallow_programs);
  if (left_out == 0) return bytes;
  const ResolvedRun deeper = shallow_run(run, kLayersOfATurn);
  const Stages stages = stages_of(deeper);
  const RemoteBytes with_a_turn = bytes_of_programs(deeper, stages, pipeline_of(deeper, stages));
  for (std::size_t i = 0; i < kRemoteContents; ++i) {
    bytes[i] += (with_a_turn[i] - bytes[i]) * (left_out / kLayersOfATurn);
  }
  return bytes;
}

}  // namespace phasor::run
