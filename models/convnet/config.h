// The sizes of a small convolutional network for images of digits: two blocks of convolution, max pooling and relu, a
// linear layer with relu, and a linear head. After LeCun, Bottou, Bengio and Haffner, "Gradient-based learning applied
// to document recognition", 1998.
#pragma once

#include <cstdint>
#include <string>

#include "models/fields/facts.h"

namespace phasor::convnet {

struct Config {
  static constexpr const char* kName = "convnet";
  std::int64_t image_size = 28;  // rows, and as many columns
  std::int64_t image_channels = 1;
  std::int64_t channels1 = 10, channels2 = 20;  // of the first and the second block
  std::int64_t kernel_size = 5;
  std::int64_t hidden_size = 256;
  std::int64_t classes = 10;
};

template <fields::MaybeConst<Config> AnyConfig, class Visitor>
void visit_fields(AnyConfig& c, Visitor&& visit) {
  using fields::Range, fields::kMostSize, fields::kSize;
  const Range size{1, kMostSize, kSize};
  visit("model.image_size", c.image_size, {"rows of an image, and its columns", size});
  visit("model.image_channels", c.image_channels, {"channels of an image", size});
  visit("model.channels1", c.channels1, {"channels that the first block makes", size});
  visit("model.channels2", c.channels2, {"channels that the second block makes", size});
  visit("model.kernel_size", c.kernel_size, {"rows of a convolution's kernel, and its columns", size});
  visit("model.hidden_size", c.hidden_size, {"width of the linear layer", size});
  visit("model.classes", c.classes, {"classes to tell apart", size});
}

// Rows of what a block makes of so many rows, and columns likewise: a convolution, then maxima of 2 by 2.
inline std::int64_t block_size(const Config& config, std::int64_t size) { return (size - config.kernel_size + 1) / 2; }

// Throws UserError where the sizes contradict each other.
void validate(const Config& config);

// Throws UserError, showing the arithmetic, where the state or the activations of so many samples are more than a
// process can address.
void check_totals(const Config& config, std::int64_t samples);

// "blocks of 10 and 20 channels, images of 28 x 28"
std::string summary(const Config& config);

}  // namespace phasor::convnet
