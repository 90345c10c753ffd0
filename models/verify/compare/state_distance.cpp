#include "models/verify/compare/state_distance.h"

#include <algorithm>

namespace phasor::run {

namespace {

constexpr std::int64_t kPiece = 1 << 16;  // elements

// The last phase of a step that is the stage instance's or, of a model in one phase, the last of all.
std::string phase_of(const Pipeline& pipeline, const Stage& stage, int instance) {
  const Phase *own = nullptr, *last = nullptr;
  for (const Program& program : pipeline.devices)
    for (const Phase& phase : program.phases) {
      if (phase.section != Section::step) continue;
      last = &phase;
      if (phase.name.ends_with(" " + stage.name) && phase.instance == instance) own = &phase;
    }
  const Phase& phase = own != nullptr ? *own : *last;
  return phase.instances > 1 ? fmt::format("{} {}", phase.name, phase.instance) : phase.name;
}

std::vector<CanonicalTensor> in_order_of_updates(const Stages& stages) {
  std::vector<CanonicalTensor> tensors = canonical_tensors(stages);
  std::ranges::stable_sort(tensors, [](const CanonicalTensor& a, const CanonicalTensor& b) {
    return std::pair(a.stage, a.instance) > std::pair(b.stage, b.instance);
  });
  return tensors;
}

}  // namespace

std::string layer_text(const Stage& stage, int instance) {
  return stage.instances > 1 && !stage.sliced() ? fmt::format("{} {}", stage.name, instance) : stage.name;
}

std::vector<TensorDistance> state_distances(Trainer& a, const StateReader& other) {
  // Moments first: the gradient shows in them as it is.
  constexpr StateKind kKinds[] = {StateKind::moment1, StateKind::moment2, StateKind::weight};
  const ModelState& state = a.state();
  std::vector<float> x(static_cast<std::size_t>(kPiece)), y(x.size());
  std::vector<TensorDistance> distances;
  for (const CanonicalTensor& tensor : in_order_of_updates(a.stages())) {
    const Stage& stage = a.stages()[tensor.stage];
    for (StateKind kind : kKinds) {
      if (!state.keeps(kind, tensor)) continue;
      const Shape shape = state.kept(kind, tensor).shape;
      const ReadPart read = other(kind, tensor, shape);
      TensorDistance& made =
          distances.emplace_back(TensorDistance{.name = fmt::format("{}/{}", state_info(kind).name, tensor.name),
                                                .layer = layer_text(stage, tensor.instance),
                                                .phase = phase_of(a.runner().pipeline(), stage, tensor.instance),
                                                .shape = shape,
                                                .distance = {}});
      for (std::int64_t first = 0; first < shape.elements(); first += kPiece) {
        const auto count = static_cast<std::size_t>(std::min(kPiece, shape.elements() - first));
        state.read_part(kind, tensor, first, std::span(x).first(count));
        read(first, std::span(y).first(count));
        made.distance.add(std::span(x).first(count), std::span(y).first(count));
      }
    }
  }
  return distances;
}

}  // namespace phasor::run
