#include "engine/transform/gradients/rules.h"

namespace phasor::gradients {

Gradients max_pool2d(Builder& b, const Node& node, std::span<const Value> dy) {
  return {b.max_pool2d_gradient(inputs_of<Op::max_pool2d>(node)["x"], outputs_of<Op::max_pool2d>(node)["y"], dy[0],
                                std::get<PoolingAttributes>(node.attributes))};
}

}  // namespace phasor::gradients
