#include "models/convnet/flops.h"

namespace phasor::convnet {

double training_flops_per_sample(const Config& config) {
  const auto real = [](std::int64_t size) { return static_cast<double>(size); };
  const std::int64_t first = block_size(config, config.image_size), second = block_size(config, first);
  const double taps = real(config.kernel_size) * real(config.kernel_size);
  const double rows1 = real(config.image_size - config.kernel_size + 1), rows2 = real(first - config.kernel_size + 1);
  const double conv1 = rows1 * rows1 * real(config.channels1) * taps * real(config.image_channels);
  const double conv2 = rows2 * rows2 * real(config.channels2) * taps * real(config.channels1);
  const double features = real(second) * real(second) * real(config.channels2);
  const double linear = real(config.hidden_size) * (features + real(config.classes));
  return 4 * conv1 + 6 * (conv2 + linear);
}

}  // namespace phasor::convnet
