#include "models/verify/executions/state_reader.h"

#include <algorithm>
#include <map>
#include <memory>

#include "models/checkpoint/position.h"

namespace phasor::run {

StateReader state_of(Trainer& trainer) {
  std::map<std::string, CanonicalTensor> tensors;
  for (CanonicalTensor& tensor : canonical_tensors(trainer.stages())) tensors[tensor.name] = tensor;
  return [&state = trainer.state(), tensors = std::move(tensors)](StateKind kind, const CanonicalTensor& tensor,
                                                                  const Shape&) {
    const auto found = tensors.find(tensor.name);
    check(found != tensors.end() && found->second.shape == tensor.shape,
          "verify: tensor '{}' {} is not in both executions. Are their models the same?", tensor.name,
          to_string(tensor.shape));
    return [&state, kind, own = found->second](std::int64_t first, std::span<float> to) {
      state.read_part(kind, own, first, to);
    };
  };
}

StateReader state_of(const std::string& checkpoint) {
  const auto file = std::make_shared<const io::Hdf5File>(open_checkpoint(checkpoint));
  return [file, checkpoint](StateKind kind, const CanonicalTensor& tensor, const Shape& kept) {
    const std::string name = fmt::format("/{}/{}", state_info(kind).name, tensor.name);
    check(file->exists(name) && file->dataset(name).shape == kept,
          "checkpoint: '{}' has no tensor '{}' {}. Is it of another model?", checkpoint, name, to_string(kept));
    return [values = file->read<float>(name)](std::int64_t first, std::span<float> to) {
      std::ranges::copy(std::span(values).subspan(static_cast<std::size_t>(first), to.size()), to.begin());
    };
  };
}

}  // namespace phasor::run
