// Copies a stage while changing its graph: the walk that fusing and lowering share.
#pragma once

#include <functional>
#include <vector>

#include "engine/ir/builder.h"
#include "engine/ir/stage.h"

namespace phasor {

// The new graph under construction, and where each value of the old one has gone.
class Rewrite {
 public:
  explicit Rewrite(const Stage& stage);

  const Graph& old_graph() const { return stage_.graph; }
  Builder& builder() { return builder_; }

  // The new counterpart; must exist.
  Value operator[](Value old) const;
  void map(Value old, Value replacement) { counterparts_[old.id] = replacement; }

  // Appends the same op on the counterparts of its inputs.
  void copy(const Node& node);

  // The stage with its roles (variables, batch, results, activations) on the new graph. Outputs of the old graph keep
  // their order.
  Stage finish();

 private:
  const Stage& stage_;
  Stage result_;
  Builder builder_;
  std::vector<Value> counterparts_;
};

}  // namespace phasor
