#include "models/verify/values/disturbance.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "engine/base/random.h"
#include "engine/ir/op_table.h"

namespace phasor::run {

namespace {

constexpr double kFloat32Roundoff = 0x1p-24, kBfloat16Roundoff = 0x1p-8;

// A hash that is the same on every machine: FNV-1a.
std::uint32_t hash_of(const std::string& text) {
  std::uint32_t hash = 2166136261U;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
  return hash;
}

// Evenly from -1 to 1.
double draw(const RandomBlock& block, std::size_t word) { return block[word] * 0x1p-31 - 1; }

template <class T, class Change>
void change_elements(const TensorView& tensor, std::uint64_t seed, RandomBlock place, Change change) {
  const std::span<T> values = tensor.as<T>();
  double squares = 0;
  for (const T x : values) squares += static_cast<double>(to_float(x)) * to_float(x);
  const double mean = values.empty() ? 0 : std::sqrt(squares / static_cast<double>(values.size()));
  RandomBlock block{};
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i % 4 == 0) {
      place[0] = static_cast<std::uint32_t>(i / 4);
      block = random_block(seed, place);
    }
    const double x = to_float(values[i]);
    if (x != 0) values[i] = from_float<T>(static_cast<float>(x + change(x, mean) * draw(block, i % 4)));
  }
}

}  // namespace

double largest_change(Rounding rounding, std::int64_t terms, double x, double mean) {
  if (rounding == Rounding::precision) return kBfloat16Roundoff * std::abs(x);
  return kFloat32Roundoff * std::sqrt(static_cast<double>(terms)) * std::max(std::abs(x), mean);
}

std::int64_t terms_of(const Graph& graph, const Node& node) {
  Specs inputs;
  std::int64_t read = 0;
  for (Value input : node.inputs) {
    inputs.push_back(graph.spec(input));
    read = std::max(read, inputs.back().elements());
  }
  const auto made = static_cast<double>(std::max<std::int64_t>(1, graph.spec(node.outputs[0]).elements()));
  const OpInfo& info = op_info(node.op);
  const double products = info.flops != nullptr ? info.flops(inputs, node.attributes) / 2 : 0;
  return std::max<std::int64_t>(1, std::llround(std::max(products, static_cast<double>(read)) / made));
}

void disturb(const ObservedValue& value, Rounding rounding, std::uint64_t seed, std::int64_t step) {
  if (value.node == nullptr || !is_real(value.tensor.spec.dtype)) return;
  if (value.sums && rounding == Rounding::precision) return;  // it is in float32 always
  const std::int64_t terms = terms_of(*value.graph, *value.node);
  const RandomBlock place{0, hash_of(value.name), static_cast<std::uint32_t>(step),
                          static_cast<std::uint32_t>(value.micro_batch)};
  const auto change = [&](double x, double mean) { return largest_change(rounding, terms, x, mean); };
  if (value.tensor.spec.dtype == DType::f32) {
    change_elements<float>(value.tensor, seed, place, change);
  } else {
    change_elements<bfloat16>(value.tensor, seed, place, change);
  }
}

}  // namespace phasor::run
