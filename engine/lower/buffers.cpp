#include "engine/lower/buffers.h"

#include "engine/ir/records.h"

namespace phasor {

namespace {
const TensorSpec kScalar{DType::f32, {1}};
}

BufferSpec HostBuffers::batch(const std::string& name, const TensorSpec& spec) const {
  return {program + ".batch." + name, spec, accumulation};
}
BufferSpec HostBuffers::position(int instances) const {
  return {program + ".position", kRandomPositionSpec, std::int64_t{instances} * accumulation};
}
BufferSpec HostBuffers::update_position(int instances) const {
  return {program + ".update_position", kUpdatePositionSpec, instances};
}
BufferSpec HostBuffers::adam_step() const { return {program + ".adam_step", kAdamStepSpec, 1}; }
BufferSpec HostBuffers::loss_scale() const { return {program + ".loss_scale", kScalar, 1}; }
BufferSpec HostBuffers::loss() const { return {program + ".loss", kScalar, accumulation}; }
BufferSpec HostBuffers::result(const std::string& name, const TensorSpec& spec) const {
  return {program + ".result." + name, spec, accumulation};
}
BufferSpec HostBuffers::activation(const TensorSpec& spec, int boundaries) const {
  return {program + ".x", spec, std::int64_t{boundaries} * accumulation};
}
BufferSpec HostBuffers::activation_gradient(const TensorSpec& spec, int boundaries) const {
  return {program + ".dx", spec, std::int64_t{boundaries} * accumulation};
}
BufferSpec HostBuffers::kept(const std::string& unit, int k, const TensorSpec& spec, int instances) const {
  return {fmt::format("{}.kept.{}.{}", program, unit, k), spec, std::int64_t{instances} * accumulation};
}

}  // namespace phasor
