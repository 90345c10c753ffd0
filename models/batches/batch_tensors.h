// The tensors of one micro-batch on the host, by the names under which a model's stages ask for them.
#pragma once

#include <map>
#include <span>
#include <string>

#include "engine/base/tensor.h"
#include "engine/ir/stage.h"

namespace phasor::run {

class BatchTensors {
 public:
  // One for each name of Stage::batch, of its type and shape, zero at first.
  explicit BatchTensors(const Stages& stages);

  // Whether the model asks for it: one that only predicts wants no labels.
  bool has(const std::string& name) const { return tensors_.contains(name); }
  const Shape& shape(const std::string& name) const { return find(name).spec().shape; }
  // All elements, as T, which must be the tensor's type.
  template <class T>
  std::span<T> of(const std::string& name) const {
    return find(name).as<T>();
  }

  // Makes all elements zero.
  void clear();

  // Hands all of them to a Trainer or a Predictor as those of a replica's micro-batch.
  template <class Model>
  void write(Model& model, int replica, int micro_batch) const {
    for (const auto& [name, tensor] : tensors_) {
      const std::span<const std::byte> bytes(static_cast<const std::byte*>(tensor.view().data),
                                             static_cast<std::size_t>(tensor.spec().bytes()));
      model.write_batch(name, replica, micro_batch, bytes);
    }
  }

 private:
  const Tensor& find(const std::string& name) const;

  std::map<std::string, Tensor> tensors_;
};

}  // namespace phasor::run
