#include "engine/ir/graph.h"

namespace phasor {

Value Graph::add_input(TensorSpec spec, std::string name) {
  const Value value{static_cast<std::int32_t>(values.size())};
  values.push_back({.spec = spec, .name = std::move(name)});
  inputs.push_back(value);
  return value;
}

}  // namespace phasor
