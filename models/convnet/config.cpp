#include "models/convnet/config.h"

#include "engine/base/byte_size.h"
#include "engine/base/error.h"

namespace phasor::convnet {

namespace {

constexpr double kFloatBytes = 4, kStates = 4;  // weight, gradient and two moments

double real(std::int64_t size) { return static_cast<double>(size); }

}  // namespace

void validate(const Config& config) {
  for (std::int64_t size : {config.image_size, config.image_channels, config.channels1, config.channels2,
                            config.kernel_size, config.hidden_size, config.classes}) {
    check(size > 0, "model: a size of the convnet is {}, expected a positive one", size);
  }
  const std::int64_t first = block_size(config, config.image_size), second = block_size(config, first);
  check(second > 0,
        "model.image_size {} leaves {} rows behind the first block and {} behind the second, with model.kernel_size {}",
        config.image_size, first, second, config.kernel_size);
}

void check_totals(const Config& config, std::int64_t samples) {
  const std::int64_t first = block_size(config, config.image_size), second = block_size(config, first);
  const double taps = real(config.kernel_size) * real(config.kernel_size);
  const double kernels =
      taps * (real(config.image_channels) * real(config.channels1) + real(config.channels1) * real(config.channels2));
  const double features = real(config.channels2) * real(second) * real(second);
  check_addressable(
      kFloatBytes * kStates * (kernels + real(config.hidden_size) * (features + real(config.classes))),
      fmt::format("weights, gradients and moments: 16 × ({}² × (model.image_channels {} × model.channels1 "
                  "{} + {} × model.channels2 {}) + model.hidden_size {} × ({} × {}² + model.classes {}))",
                  config.kernel_size, config.image_channels, config.channels1, config.channels1, config.channels2,
                  config.hidden_size, config.channels2, second, config.classes));
  const double image = real(config.image_size) * real(config.image_size);
  check_addressable(
      kFloatBytes * real(samples) * image *
          (real(config.image_channels) + 2 * real(config.channels1) + 2 * real(config.channels2)),
      fmt::format(
          "activations: 4 × training.global_batch_size {} × model.image_size {}² × (model.image_channels {} + 2 "
          "× model.channels1 {} + 2 × model.channels2 {})",
          samples, config.image_size, config.image_channels, config.channels1, config.channels2));
}

std::string summary(const Config& config) {
  return fmt::format("blocks of {} and {} channels, images of {} x {}", config.channels1, config.channels2,
                     config.image_size, config.image_size);
}

}  // namespace phasor::convnet
