#include "models/verify/compare/bound.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace phasor::run {

namespace {

// Of the tensors of one kind in a layer together.
struct LayerDistance {
  double square_norm = 0, square_difference = 0;

  double relative() const { return square_norm > 0 ? std::sqrt(square_difference / square_norm) : 0; }
};

// "moment1, layer 3"
std::string group_of(const TensorDistance& tensor) {
  return fmt::format("{}, {}", tensor.name.substr(0, tensor.name.find('/')), tensor.layer);
}

}  // namespace

void RoundingLimit::take(const Distance& draw, double relative) {
  norm = std::max({norm, draw.difference(), relative * draw.norm()});
  largest = std::max({largest, draw.largest_difference(), relative * draw.largest_magnitude()});
}

double RoundingLimit::reached(const Distance& distance) const {
  if (distance.equal()) return 0;
  const auto part = [](double value, double limit) {
    return limit > 0 ? value / (kSlack * limit) : std::numeric_limits<double>::infinity();
  };
  return std::max(part(distance.difference(), norm), part(distance.largest_difference(), largest));
}

RoundingBound::RoundingBound(const std::vector<std::vector<TensorDistance>>& probes) {
  for (const std::vector<TensorDistance>& probe : probes) {
    limits_.resize(probe.size());
    std::map<std::string, LayerDistance> layers;
    for (const TensorDistance& tensor : probe) {
      LayerDistance& layer = layers[group_of(tensor)];
      layer.square_norm += tensor.distance.norm() * tensor.distance.norm();
      layer.square_difference += tensor.distance.difference() * tensor.distance.difference();
    }
    for (std::size_t t = 0; t < probe.size(); ++t) {
      limits_[t].take(probe[t].distance, layers[group_of(probe[t])].relative());
    }
  }
}

ValueBound::ValueBound(const std::vector<ValueComparison>& probes) {
  std::vector<double> relatives;
  for (const ValueComparison& probe : probes) {
    for (const ValueDistance& value : probe.differences) relatives.push_back(value.distance.relative());
  }
  const auto middle = relatives.begin() + static_cast<std::ptrdiff_t>(relatives.size() / 2);
  std::ranges::nth_element(relatives, middle);
  if (!relatives.empty()) relative_ = *middle;
  for (const ValueComparison& probe : probes) {
    for (const ValueDistance& value : probe.differences) limits_[value.key].take(value.distance, relative_);
  }
}

double ValueBound::reached(const ValueDistance& value) const {
  RoundingLimit limit;
  if (const auto found = limits_.find(value.key); found != limits_.end()) limit = found->second;
  limit.norm = std::max(limit.norm, relative_ * value.distance.norm());
  limit.largest = std::max(limit.largest, relative_ * value.distance.largest_magnitude());
  return limit.reached(value.distance);
}

}  // namespace phasor::run
