#include "bench/synthetic_samples.h"

#include <algorithm>
#include <limits>

namespace phasor::bench {

std::uint64_t draw(std::uint64_t n) {
  std::uint64_t z = n * 0x9E3779B97F4A7C15;
  z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9;
  z = (z ^ z >> 27) * 0x94D049BB133111EB;
  return z ^ z >> 31;
}

namespace {

constexpr std::uint64_t kLabels = std::uint64_t{1} << 32, kNumbers = std::uint64_t{1} << 33;

// Sets every element to value(place, n), where n is the element's number among those of all samples.
template <class T, class Value>
void set_elements(std::span<const run::Place> places, std::span<T> elements, std::int64_t rows, Value value) {
  const std::int64_t samples = std::ssize(places), width = std::ssize(elements) / rows;
  auto element = elements.begin();
  for (std::int64_t row = 0; row < rows; ++row) {
    const run::Place& place = places[static_cast<std::size_t>(row % samples)];
    const std::int64_t first = (place.sample * (rows / samples) + row / samples) * width;
    for (std::int64_t i = 0; i < width; ++i) *element++ = value(place, static_cast<std::uint64_t>(first + i));
  }
}

}  // namespace

SyntheticSamples::SyntheticSamples(const Stages& stages, std::int64_t micro_batch_size) {
  for (const Stage& stage : stages) {
    for (const auto& [name, value] : stage.batch) {
      const Content content = content_of(stage.graph, value);
      check(content.kind != Kind::entries || content.choices > 0,
            "bench: the table that '{}' is for has no entry but the padding", name);
      contents_[name] = content;
      const std::int64_t of_sample = stage.graph.spec(value).elements() / micro_batch_size;
      if (content.kind == Kind::labels) labels_ += of_sample;
      if (content.kind == Kind::entries) tokens_ = std::max(tokens_, of_sample);
    }
  }
}

// As the first op says that takes it.
SyntheticSamples::Content SyntheticSamples::content_of(const Graph& graph, Value value) {
  for (const Node& node : graph.nodes) {
    const auto operand = std::ranges::find(node.inputs, value) - node.inputs.begin();
    if (operand == std::ssize(node.inputs)) continue;
    if (node.op == Op::embedding || node.op == Op::embedding_slice) {
      const auto& attributes = std::get<EmbeddingAttributes>(node.attributes);
      const std::int64_t table = attributes.whole > 0 ? attributes.whole : graph.spec(node.inputs[0]).shape[0];
      return {Kind::entries, table - (attributes.padding >= 0 ? 1 : 0), attributes.padding};
    }
    if (node.op == Op::cross_entropy && operand == 1) return {Kind::labels, graph.spec(node.inputs[0]).shape[1]};
    if (node.op == Op::cross_entropy && operand == 2) return {Kind::label_weights};
    if (node.op == Op::attention) return {Kind::zeros};
    break;
  }
  return {};
}

std::int64_t SyntheticSamples::size() const { return std::numeric_limits<std::int64_t>::max(); }

void SyntheticSamples::fill(std::span<const run::Place> places, run::BatchTensors& tensors) const {
  for (const auto& [name, content] : contents_) {
    const std::int64_t rows = tensors.shape(name)[0];
    const auto set_numbers = [&](auto value) { set_elements(places, tensors.of<float>(name), rows, value); };
    const auto set_choices = [&](std::uint64_t stream) {
      const auto choices = static_cast<std::uint64_t>(content.choices);
      set_elements(places, tensors.of<std::int32_t>(name), rows, [&](const run::Place&, std::uint64_t n) {
        const auto choice = static_cast<std::int32_t>(draw(stream + n) % choices);
        return choice + (content.padding >= 0 && choice >= content.padding ? 1 : 0);
      });
    };
    switch (content.kind) {
      case Kind::entries:
        set_choices(0);
        break;
      case Kind::labels:
        set_choices(kLabels);
        break;
      case Kind::label_weights:
        set_numbers([](const run::Place& place, std::uint64_t) { return place.label_weight; });
        break;
      case Kind::zeros:
        set_numbers([](const run::Place&, std::uint64_t) { return 0.0f; });
        break;
      case Kind::numbers:
        set_numbers(
            [](const run::Place&, std::uint64_t n) { return static_cast<float>(draw(kNumbers + n)) * 0x1p-64f; });
        break;
    }
  }
}

}  // namespace phasor::bench
