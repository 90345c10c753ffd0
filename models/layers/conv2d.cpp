#include "models/layers/conv2d.h"

#include "models/layers/uniform.h"

namespace phasor::layers {

Value conv2d(StageBuilder& b, const std::string& name, Value x, std::int64_t outputs, std::int64_t kernel_size) {
  const std::int64_t channels = b.shape(x)[1];
  const Initialiser uniform = uniform_of(channels * kernel_size * kernel_size);
  const Value weight = b.variable(name + ".weight", {outputs, channels, kernel_size, kernel_size}, uniform, true);
  return b.conv2d(x, weight, b.variable(name + ".bias", {outputs}, uniform, false));
}

}  // namespace phasor::layers
