#include "models/layers/linear.h"

namespace phasor::layers {

Value linear(StageBuilder& b, const std::string& name, Value x, std::int64_t outputs, float deviation) {
  const std::int64_t inputs = b.shape(x)[-1];
  const Value weight = b.variable(name + ".weight", {outputs, inputs},
                                  {.kind = Initialiser::Kind::truncated_normal, .deviation = deviation}, true);
  const Value bias = b.variable(name + ".bias", {outputs}, {.kind = Initialiser::Kind::zeros}, false);
  return b.add(b.matmul(x, weight, {.transpose_b = true}), bias);
}

}  // namespace phasor::layers
