#include "engine/lower/buffers.h"

#include <algorithm>

#include "engine/ir/records.h"

namespace phasor {

namespace {
const TensorSpec kScalar{DType::f32, {1}};

// The first of several of a kind has no number.
std::string numbered(const std::string& name, int number) {
  return number == 0 ? name : fmt::format("{}{}", name, number);
}
}  // namespace

Boundaries place_boundaries(const Stages& stages) {
  Boundaries boundaries;
  std::vector<TensorSpec> specs;  // of each buffer
  for (const Stage& stage : stages) {
    if (!stage.y.valid()) continue;
    const TensorSpec& spec = stage.graph.spec(stage.y);
    const auto found = std::ranges::find(specs, spec);
    const auto buffer = static_cast<int>(found - specs.begin());
    if (found == specs.end()) {
      specs.push_back(spec);
      boundaries.counts.push_back(0);
    }
    for (int n = 0; n < (stage.sliced() ? 1 : stage.instances); ++n) {
      boundaries.places.push_back({.buffer = buffer, .number = boundaries.counts[buffer]++});
    }
  }
  return boundaries;
}

Boundaries take_turns(Boundaries boundaries) {
  constexpr int kTurns = 2;
  for (Boundaries::Place& place : boundaries.places) place.number %= kTurns;
  for (int& count : boundaries.counts) count = std::min(count, kTurns);
  return boundaries;
}

BufferSpec HostBuffers::of_steps(const std::string& name, const TensorSpec& row, std::int64_t rows) const {
  return {program + name, row, rows, iterations};
}

BufferSpec HostBuffers::batch(const std::string& name, const TensorSpec& spec) const {
  return of_steps(".batch." + name, spec, accumulation);
}
BufferSpec HostBuffers::position(int instances) const {
  return of_steps(".position", kRandomPositionSpec, std::int64_t{instances} * accumulation);
}
BufferSpec HostBuffers::update_position(int instances) const {
  return of_steps(".update_position", kUpdatePositionSpec, instances);
}
BufferSpec HostBuffers::adam_step(int rows) const { return of_steps(".adam_step", kAdamStepSpec, rows); }
BufferSpec HostBuffers::loss_scale() const { return of_steps(".loss_scale", kScalar, 1); }
BufferSpec HostBuffers::loss() const { return of_steps(".loss", kScalar, accumulation); }
BufferSpec HostBuffers::gradient_norm() const { return of_steps(".gradient_norm", kScalar, 1); }
BufferSpec HostBuffers::result(const std::string& name, const TensorSpec& spec) const {
  return {program + ".result." + name, spec, accumulation};
}
BufferSpec HostBuffers::carried(const std::string& stage, const std::string& state, const TensorSpec& spec,
                                int instances) const {
  return {fmt::format("carried.{}.{}", stage, state), spec, std::int64_t{instances} * accumulation};
}
BufferSpec HostBuffers::activation(int buffer, const TensorSpec& spec, int count) const {
  return {numbered(program + ".x", buffer), spec, std::int64_t{count} * accumulation};
}
BufferSpec HostBuffers::activation_gradient(int buffer, const TensorSpec& spec, int count) const {
  return {numbered(program + ".dx", buffer), spec, std::int64_t{count} * accumulation};
}
BufferSpec HostBuffers::partial(const std::string& unit, bool of_gradient, const TensorSpec& spec) const {
  return {fmt::format("{}.partial.{}.{}", program, of_gradient ? "dx" : "y", unit), spec, accumulation};
}
BufferSpec HostBuffers::kept(const std::string& unit, int k, const TensorSpec& spec, int instances) const {
  return {fmt::format("{}.kept.{}.{}", program, unit, k), spec, std::int64_t{instances} * accumulation};
}

}  // namespace phasor
