#include "engine/transform/gradients/rules.h"

namespace phasor::gradients {

Gradients max_pool2d(Builder& b, const Node& node, std::span<const Value> dy) {
  auto attributes = std::get<PoolingAttributes>(node.attributes);
  attributes.relu = false;  // the indices tell what it cut off
  return {b.max_pool2d_gradient(outputs_of<Op::max_pool2d>(node)["indices"], dy[0],
                                b.shape(inputs_of<Op::max_pool2d>(node)["x"]), attributes)};
}

}  // namespace phasor::gradients
