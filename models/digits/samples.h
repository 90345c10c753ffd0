// Images as samples; shapes and meaning of the tensors as models/convnet/stages.h has them.
#pragma once

#include <array>

#include "models/batches/samples.h"
#include "models/digits/images.h"

namespace phasor::digits {

class ImageSamples : public run::Samples {
 public:
  explicit ImageSamples(Images images);

  const Images& images() const { return images_; }

  std::int64_t size() const override { return images_.size(); }
  std::int64_t labels(std::int64_t) const override { return 1; }
  void fill(std::span<const run::Place> places, run::BatchTensors& tensors) const override;
  std::string fingerprint() const override;

 private:
  Images images_;
  // Of each value of a pixel: its part of 255, less the mean of MNIST's training images, over their deviation.
  std::array<float, 256> normalised_;
};

}  // namespace phasor::digits
