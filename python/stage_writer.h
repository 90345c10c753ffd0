// Writes one stage of a model of one's own, as Python sees it: the engine's StageBuilder, behind checks of all that
// somebody can write.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "engine/ir/stage_builder.h"

namespace phasor::python {

// A value of a stage, which knows whose it is: values of two stages do not mix.
struct Tensor {
  Value value;
  std::shared_ptr<const Stage> stage;
};

// What is wrong is a UserError. Shapes that do not go together are an InternalError of the op's, which says so.
class StageWriter {
 public:
  // `x`: what the stage before hands on; nothing in the first.
  StageWriter(const std::string& name, int instances, std::optional<TensorSpec> x);

  const Stage& stage() const { return *stage_; }
  StageBuilder& builder() { return builder_; }

  // What an op has made. Refuses tensors that no machine could hold.
  Tensor wrap(Value value) const;
  // A tensor of this stage, for an op that does not care of which type.
  Value of(const Tensor& tensor) const;
  // One of float32, and one of int32, which is a batch input as it came, so that what it names can be checked.
  Value real(const Tensor& tensor) const;
  Value index(const Tensor& tensor) const;
  // The name of a variable or of a layer.
  const std::string& named(const std::string& name) const;

  Tensor batch(const std::string& name, const TensorSpec& spec);
  Tensor input();
  void output(const Tensor& y);
  void loss(const Tensor& loss);
  void result(const std::string& name, const Tensor& value);

 private:
  std::shared_ptr<Stage> stage_;
  StageBuilder builder_;
  std::optional<TensorSpec> x_;
};

// Refuses what is no name: names become parts of file formats and of patterns.
const std::string& check_name(const std::string& what, const std::string& name);

// Refuses shapes of more elements than any machine has, so that sizes can be multiplied.
void check_elements(const Shape& shape);

}  // namespace phasor::python
