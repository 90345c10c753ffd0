#include "models/ipu_config/stage_parts.h"

#include <algorithm>

#include "engine/base/error.h"

namespace phasor::ipu {

std::optional<LayerStack> stack_of(const architecture::ModelConfig& model) {
  const int layers = architecture::layers(model);
  const Stages stages = architecture::training_stages(model, 1);
  const auto stack = std::ranges::find(stages, "layer", &Stage::name);
  if (layers == 0 || stack == stages.end()) return std::nullopt;
  const auto count = [](auto begin, auto end) {
    int instances = 0;
    for (auto stage = begin; stage != end; ++stage) instances += stage->instances;
    return instances;
  };
  return LayerStack{.before = count(stages.begin(), stack), .layers = layers, .behind = count(stack + 1, stages.end())};
}

std::string stage_parts(const LayerStack& stack, const std::vector<int>& ipu_of_layer, int ipus) {
  std::string parts;
  for (int ipu = 0, first = 0; ipu < ipus; ++ipu) {
    const auto layers = static_cast<int>(std::ranges::count(ipu_of_layer, ipu));
    const int end = first + layers + (ipu == 0 ? stack.before : 0) + (ipu == ipus - 1 ? stack.behind : 0);
    check(end > first, "ipu_config: layers_per_ipu gives IPU {} nothing to do; expected a layer at least", ipu);
    parts += fmt::format("{}{}-{}", ipu == 0 ? "" : ", ", first, end - 1);
    first = end;
  }
  return parts;
}

}  // namespace phasor::ipu
