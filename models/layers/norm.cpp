#include "models/layers/norm.h"

namespace phasor::layers {

Value layer_norm(StageBuilder& b, const std::string& name, Value x, float eps) {
  const std::int64_t columns = b.shape(x)[-1];
  const Value gamma = b.variable(name + ".weight", {columns}, {.kind = Initialiser::Kind::ones}, false);
  const Value beta = b.variable(name + ".bias", {columns}, {.kind = Initialiser::Kind::zeros}, false);
  return b.layer_norm(x, gamma, beta, {.eps = eps}).y;
}

}  // namespace phasor::layers
