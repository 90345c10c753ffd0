#include "models/verify/values/value_observer.h"

#include <algorithm>

#include "engine/transform/autodiff.h"

namespace phasor::run {

namespace {

constexpr std::string_view kGradient = "d ";

std::string name_in(const Stage& stage, int number, const std::string& name) {
  return fmt::format("{}.{}.{}", stage.name, number, name);
}

}  // namespace

std::string phase_text(const Phase& phase) {
  return phase.instances > 1 ? fmt::format("{} {}", phase.name, phase.instance) : phase.name;
}

ValueObserver::ValueObserver(const Stages& stages, See see) : stages_(stages), see_(std::move(see)) {
  for (int s = 0; s < static_cast<int>(stages.size()); ++s) {
    for (int n = 0; n < stages[s].instances; ++n) instances_.push_back({s, n});
  }
}

void ValueObserver::call(const CallPlace& place) {
  const GraphKind kind = place.graph.kind;
  packs_ = kind == GraphKind::pack;
  watched_ = packs_ || kind == GraphKind::forward || kind == GraphKind::gradient;
  if (!watched_) return;
  const std::string stage = place.phase.name.substr(place.phase.name.find(' ') + 1);
  const auto found = std::ranges::find_if(instances_, [&](const Instance& instance) {
    return stages_[instance.stage].name == stage && instance.number == place.phase.instance;
  });
  instance_ = found == instances_.end() ? -1 : static_cast<int>(found - instances_.begin());
  watched_ = instance_ < 0 || !stages_[found->stage].sliced();
  now_.phase = phase_text(place.phase);
  now_.replica = place.replica;
  now_.micro_batch = place.replica * place.micro_batches + std::max(0, place.micro_batch);
}

std::string ValueObserver::made_by(int instance) const {
  const Stage& stage = stages_[instances_[instance].stage];
  return name_in(stage, stage.sliced() ? 0 : instances_[instance].number, stage.graph[stage.y].name);
}

std::string ValueObserver::full_name(const std::string& name) const {
  if (instance_ < 0) return name;  // as the model's graph has it
  if (name == "x") return made_by(instance_ - 1);
  if (name == "dy") return gradient_name(made_by(instance_));
  if (name == gradient_name("x")) return gradient_name(made_by(instance_ - 1));
  const auto& [stage, number] = instances_[instance_];
  for (const NamedValue& item : stages_[stage].batch) {
    if (item.name == name) return name;
  }
  if (!name.starts_with(kGradient)) return name_in(stages_[stage], number, name);
  return gradient_name(name_in(stages_[stage], number, name.substr(kGradient.size())));
}

void ValueObserver::see(const std::string& name, bool sums, const TensorView& tensor) {
  now_.name = full_name(name);
  now_.order = order_++;
  now_.read = now_.node == nullptr;
  now_.sums = sums;
  now_.tensor = tensor;
  see_(now_);
}

// Positions and the scale of the loss are the host's, packed weights the machine's; sums so far were seen as outputs.
void ValueObserver::begin(const Graph& graph, std::span<const TensorView> inputs) {
  if (!watched_ || packs_) return;
  now_.graph = &graph;
  now_.node = nullptr;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const std::string& name = graph[graph.inputs[i]].name;
    if (name == "position" || name == "loss_scale" || name.starts_with("packed ") || name.starts_with(kGradient)) {
      continue;
    }
    see(name, false, inputs[i]);
  }
}

void ValueObserver::made(const Graph& graph, const Node& node, std::span<const TensorView> outputs) {
  if (!watched_) return;
  now_.graph = &graph;
  now_.node = &node;
  for (std::size_t k = 0; k < outputs.size(); ++k) {
    const std::string& own = graph[node.outputs[k]].name;
    const std::string name = packs_ ? fmt::format("packed.{}", k) : own;
    if (name.empty()) continue;
    const bool sums = std::ranges::any_of(graph.inputs, [&](Value input) { return graph[input].name == name; });
    see(name, sums, outputs[k]);
  }
}

}  // namespace phasor::run
