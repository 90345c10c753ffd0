#include "models/layers/linear.h"

#include "models/layers/uniform.h"

namespace phasor::layers {

namespace {
Value linear(StageBuilder& b, const std::string& name, Value x, std::int64_t outputs, const Initialiser& of_weight,
             const Initialiser& of_bias) {
  const Value weight = b.variable(name + ".weight", {outputs, b.shape(x)[-1]}, of_weight, true);
  const Value bias = b.variable(name + ".bias", {outputs}, of_bias, false);
  return b.add(b.matmul(x, weight, {.transpose_b = true}), bias);
}
}  // namespace

Value linear(StageBuilder& b, const std::string& name, Value x, std::int64_t outputs, float deviation) {
  return linear(b, name, x, outputs, {.kind = Initialiser::Kind::truncated_normal, .deviation = deviation},
                {.kind = Initialiser::Kind::zeros});
}

Value projection(StageBuilder& b, const std::string& name, Value x, std::int64_t outputs,
                 const Initialiser& of_weight) {
  const Value weight = b.variable(name + ".weight", {b.shape(x)[-1], outputs}, of_weight, true);
  const Value bias = b.variable(name + ".bias", {outputs}, {.kind = Initialiser::Kind::zeros}, false);
  return b.add(b.matmul(x, weight), bias);
}

Value uniform_linear(StageBuilder& b, const std::string& name, Value x, std::int64_t outputs) {
  const Initialiser uniform = uniform_of(b.shape(x)[-1]);
  return linear(b, name, x, outputs, uniform, uniform);
}

}  // namespace phasor::layers
