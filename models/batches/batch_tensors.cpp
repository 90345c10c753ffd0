#include "models/batches/batch_tensors.h"

#include <cstring>

namespace phasor::run {

BatchTensors::BatchTensors(const Stages& stages) {
  for (const Stage& stage : stages) {
    for (const NamedValue& input : stage.batch) {
      const TensorSpec& spec = stage.graph.spec(input.value);
      const auto [place, fresh] = tensors_.try_emplace(input.name, spec);
      ensure(fresh || place->second.spec() == spec, "batch: stages want '{}' as {} and as {}", input.name,
             to_string(place->second.spec()), to_string(spec));
    }
  }
}

void BatchTensors::clear() {
  for (const auto& [name, tensor] : tensors_) {
    std::memset(tensor.view().data, 0, static_cast<std::size_t>(tensor.spec().bytes()));
  }
}

const Tensor& BatchTensors::find(const std::string& name) const {
  const auto place = tensors_.find(name);
  ensure(place != tensors_.end(), "batch: the model has no tensor '{}'", name);
  return place->second;
}

}  // namespace phasor::run
