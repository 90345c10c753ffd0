#include "models/digits/samples.h"

#include <algorithm>
#include <xxhash.h>

namespace phasor::digits {

namespace {

constexpr float kMean = 0.1307f, kDeviation = 0.3081f;

}  // namespace

ImageSamples::ImageSamples(Images images) : images_(std::move(images)) {
  for (std::size_t value = 0; value < normalised_.size(); ++value) {
    normalised_[value] = (static_cast<float>(value) / 255.0f - kMean) / kDeviation;
  }
}

void ImageSamples::fill(std::span<const run::Place> places, run::BatchTensors& tensors) const {
  const std::span<float> pixels = tensors.of<float>("images");
  const std::int64_t size = images_.pixels_of_one();
  tensors.clear();
  for (const run::Place& place : places) {
    const auto image = std::span(images_.pixels).subspan(place.sample * size, static_cast<std::size_t>(size));
    std::ranges::transform(image, pixels.begin() + place.row * size,
                           [this](std::uint8_t value) { return normalised_[value]; });
  }
  if (!tensors.has("labels")) return;
  const std::span<std::int32_t> labels = tensors.of<std::int32_t>("labels");
  const std::span<float> weights = tensors.of<float>("label_weights");
  for (const run::Place& place : places) {
    labels[place.row] = images_.labels[place.sample];
    weights[place.row] = place.label_weight;
  }
}

std::string ImageSamples::fingerprint() const {
  const XXH128_hash_t parts[] = {XXH3_128bits(images_.pixels.data(), images_.pixels.size()),
                                 XXH3_128bits(images_.labels.data(), images_.labels.size())};
  const XXH128_hash_t hash = XXH3_128bits(parts, sizeof(parts));
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

}  // namespace phasor::digits
