#include "bench/synthetic_samples.h"

#include <algorithm>
#include <limits>

#include "engine/ir/op_table.h"
#include "models/batches/row_segments.h"

namespace phasor::bench {

std::uint64_t draw(std::uint64_t n) {
  std::uint64_t z = n * 0x9E3779B97F4A7C15;
  z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9;
  z = (z ^ z >> 27) * 0x94D049BB133111EB;
  return z ^ z >> 31;
}

namespace {

constexpr std::uint64_t kLabels = std::uint64_t{1} << 32, kNumbers = std::uint64_t{1} << 33;

// The places for samples in a tensor: it has `parts` after each other, each of them `rows`.
struct SamplePlaces {
  std::int64_t parts = 1, rows = 1, of_row = 1;
};

// Sets every element of a sample to value(place, n), where n is the element's number among those of all samples.
template <class T, class Value>
void set_elements(std::span<const run::Place> places, std::int64_t tokens, std::span<T> elements, SamplePlaces tensor,
                  Value value) {
  const auto [parts, rows, of_row] = tensor;
  const std::int64_t width = std::ssize(elements) / (parts * rows * of_row);
  for (const run::Place& place : places) {
    const std::int64_t before = tokens > 0 ? place.first / tokens : 0;  // samples in its row
    for (std::int64_t part = 0; part < parts; ++part) {
      const auto own = elements.begin() + ((part * rows + place.row) * of_row + before) * width;
      const std::int64_t first = (place.sample * parts + part) * width;
      for (std::int64_t i = 0; i < width; ++i) own[i] = value(place, static_cast<std::uint64_t>(first + i));
    }
  }
}

}  // namespace

SyntheticSamples::SyntheticSamples(const Stages& stages, layers::MicroBatch batch) : batch_(batch) {
  for (const Stage& stage : stages) {
    for (const auto& [name, value] : stage.batch) {
      const Content content = content_of(stage.graph, value);
      check(content.kind != Kind::entries || content.choices > 0,
            "bench: the table that '{}' is for has no entry but the padding", name);
      contents_[name] = content;
      const std::int64_t of_sample = stage.graph.spec(value).elements() / (batch.rows * samples_in_row(content));
      if (content.kind == Kind::labels) labels_ += of_sample;
      if (content.kind == Kind::entries) tokens_ = std::max(tokens_, of_sample);
    }
  }
}

// Labels of samples have room for many short ones; all else for as many as there are.
std::int64_t SyntheticSamples::samples_in_row(const Content& content) const {
  const bool of_samples = content.kind == Kind::labels || content.kind == Kind::label_weights;
  return of_samples && !content.of_tokens ? batch_.samples_of_row : batch_.sequences_of_row;
}

// As the first op says that takes it.
SyntheticSamples::Content SyntheticSamples::content_of(const Graph& graph, Value value) const {
  for (const Node& node : graph.nodes) {
    const auto operand = std::ranges::find(node.inputs, value) - node.inputs.begin();
    if (operand == std::ssize(node.inputs)) continue;
    if (node.op == Op::embedding || node.op == Op::embedding_slice) {
      const auto& attributes = std::get<EmbeddingAttributes>(node.attributes);
      const std::int64_t table = attributes.whole > 0 ? attributes.whole : graph.spec(node.inputs[0]).shape[0];
      return {Kind::entries, table - (attributes.padding >= 0 ? 1 : 0), attributes.padding};
    }
    if (node.op == Op::cross_entropy && operand == 1) {
      return {Kind::labels, graph.spec(node.inputs[0]).shape[1] / batch_.sequences_of_row};
    }
    if (node.op == Op::cross_entropy && operand == 2) return {Kind::label_weights};
    if (node.op == Op::vocabulary_sums && operand == 2) {
      const std::int64_t whole = std::get<VocabularyAttributes>(node.attributes).whole;
      const std::int64_t entries = whole > 0 ? whole : graph.spec(node.inputs[1]).shape[0];
      return {.kind = Kind::labels, .choices = entries, .of_tokens = true};
    }
    if ((node.op == Op::vocabulary_sums && operand == 3) || (node.op == Op::vocabulary_loss && operand == 1)) {
      return {.kind = Kind::label_weights, .of_tokens = true};
    }
    if (op_info(node.op).input(static_cast<std::size_t>(operand)).role == OperandRole::segments) {
      return {Kind::segments};
    }
    break;
  }
  return {};
}

std::int64_t SyntheticSamples::size() const { return std::numeric_limits<std::int64_t>::max(); }

void SyntheticSamples::fill(std::span<const run::Place> places, run::BatchTensors& tensors) const {
  tensors.clear();
  for (const auto& [name, content] : contents_) {
    const SamplePlaces tensor{
        .parts = tensors.shape(name)[0] / batch_.rows, .rows = batch_.rows, .of_row = samples_in_row(content)};
    const auto set = [&](auto elements, auto value) { set_elements(places, tokens_, elements, tensor, value); };
    const auto set_numbers = [&, &name = name](auto value) { set(tensors.of<float>(name), value); };
    const auto set_choices = [&, &name = name, &content = content](std::uint64_t stream) {
      const auto choices = static_cast<std::uint64_t>(content.choices);
      set(tensors.of<std::int32_t>(name), [&](const run::Place&, std::uint64_t n) {
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
      case Kind::segments:
        run::write_segments(places, *this, tensors);
        break;
      case Kind::numbers:
        set_numbers(
            [](const run::Place&, std::uint64_t n) { return static_cast<float>(draw(kNumbers + n)) * 0x1p-64f; });
        break;
    }
  }
}

}  // namespace phasor::bench
