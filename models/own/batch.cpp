#include "models/own/batch.h"

#include <algorithm>
#include <optional>

#include "engine/base/finite.h"
#include "engine/base/segments.h"
#include "engine/ir/operands.h"

namespace phasor::own {

namespace {

bool may_be_missing(const std::string& name) { return name == "label_weights" || name == "segments"; }

// Tokens of a row: of what attention reads.
std::int64_t row_tokens(const Stages& stages) {
  for (const Stage& stage : stages) {
    for (const Node& node : stage.graph.nodes) {
      if (node.op == Op::attention) return stage.graph.spec(inputs_of<Op::attention>(node)["qkv"]).shape[1];
    }
  }
  return 0;
}

void check_array(const std::string& name, const TensorSpec& found, const TensorSpec& expected, std::int64_t samples) {
  check(found.dtype == expected.dtype, "batch: '{}' is {}, the model asks for {}", name, name_of(found.dtype),
        name_of(expected.dtype));
  check(found.shape.rank() == expected.shape.rank() && found.shape.rank() > 0,
        "batch: '{}' is {}, the model asks for {} a micro-batch", name, to_string(found), to_string(expected));
  for (int d = 1; d < expected.shape.rank(); ++d) {
    check(found.shape[d] == expected.shape[d], "batch: '{}' is {}, the model asks for {} a micro-batch", name,
          to_string(found), to_string(expected));
  }
  check(found.shape[0] == samples, "batch: '{}' has {} samples, another array {}", name, found.shape[0], samples);
}

// One that is not would spoil every weight in a step.
void check_finite(const std::string& name, std::span<const float> values) {
  const std::optional<std::size_t> wrong = first_not_finite(values);
  check(!wrong, "batch: '{}' has {} at element {}, expected finite numbers", name, wrong ? values[*wrong] : 0,
        wrong.value_or(0));
}

}  // namespace

std::map<std::string, TensorSpec> batch_specs(const Stages& stages) {
  std::map<std::string, TensorSpec> specs;
  for (const Stage& stage : stages) {
    for (const auto& [name, value] : stage.batch) specs[name] = stage.graph.spec(value);
  }
  return specs;
}

std::int64_t micro_batch_size(const Stages& stages) {
  std::int64_t size = 0;
  std::string first;
  for (const auto& [name, spec] : batch_specs(stages)) {
    check(spec.shape.rank() > 0, "model: batch input '{}' is a scalar, expected samples along its first dimension",
          name);
    if (first.empty()) {
      first = name;
      size = spec.shape[0];
    }
    check(spec.shape[0] == size, "model: batch input '{}' has {} samples a micro-batch, '{}' has {}", name,
          spec.shape[0], first, size);
  }
  check(size > 0, "model: no stage reads a batch input, expected one at least");
  return size;
}

std::map<std::string, std::int64_t> index_limits(const Stages& stages) {
  std::map<std::string, std::int64_t> limits;
  const auto limit = [&](const Stage& stage, Value indices, std::int64_t count) {
    while (stage.graph[indices].producer >= 0 && stage.graph.nodes[stage.graph[indices].producer].op == Op::reshape) {
      indices = stage.graph.nodes[stage.graph[indices].producer].inputs[0];
    }
    for (const auto& [name, value] : stage.batch) {
      if (value != indices) continue;
      const auto [found, is_new] = limits.emplace(name, count);
      found->second = std::min(found->second, count);
    }
  };
  for (const Stage& stage : stages) {
    for (const Node& node : stage.graph.nodes) {
      if (node.op == Op::embedding) {
        const auto in = inputs_of<Op::embedding>(node);
        limit(stage, in["ids"], stage.graph.spec(in["table"]).shape[0]);
      } else if (node.op == Op::cross_entropy) {
        const auto in = inputs_of<Op::cross_entropy>(node);
        limit(stage, in["labels"], stage.graph.spec(in["logits"]).shape[1]);
      }
    }
  }
  return limits;
}

std::int64_t check_batch(const Batch& batch, const std::map<std::string, TensorSpec>& specs,
                         const std::map<std::string, std::int64_t>& limits) {
  std::string names;
  for (const auto& [name, spec] : specs) {
    if (!may_be_missing(name)) names += (names.empty() ? "" : ", ") + name;
  }
  for (const auto& [name, array] : batch) {
    check(specs.contains(name), "batch: '{}' is not what the model reads: {}", name, names);
  }
  std::int64_t samples = -1;
  for (const auto& [name, spec] : specs) {
    const auto found = batch.find(name);
    check(found != batch.end() || may_be_missing(name), "batch: '{}' is missing; the model reads {}", name, names);
    if (found == batch.end()) continue;
    const TensorSpec& array = found->second.spec;
    if (samples < 0) samples = array.shape.rank() > 0 ? array.shape[0] : 0;
    check_array(name, array, spec, samples);
    if (spec.dtype == DType::f32) check_finite(name, found->second.as<const float>());
  }
  check(samples > 0, "batch: it has no samples");
  for (const auto& [name, count] : limits) {
    const auto found = batch.find(name);
    if (found == batch.end()) continue;
    for (const std::int32_t index : found->second.as<const std::int32_t>()) {
      check(index >= 0 && index < count, "batch: '{}' has {}, expected 0 to {}", name, index, count - 1);
    }
  }
  return samples;
}

FilledValues fill_missing(const Stages& stages, std::int64_t micro_batches) {
  FilledValues filled;
  for (const auto& [name, spec] : batch_specs(stages)) {
    if (name == "label_weights") {
      const auto count = static_cast<double>(spec.elements() * micro_batches);
      filled.label_weights.assign(static_cast<std::size_t>(spec.elements()), static_cast<float>(1 / count));
    } else if (name == "segments") {
      filled.segments.assign(static_cast<std::size_t>(spec.elements()), 0);
      const std::int64_t of_row = spec.elements() / spec.shape[0], tokens = row_tokens(stages);
      for (std::int64_t row = 0; row < spec.shape[0]; ++row) {
        const auto at = static_cast<std::size_t>(row * of_row);
        filled.segments[at + 1] = static_cast<std::int32_t>(tokens);
        filled.segments[at + 2] = static_cast<std::int32_t>(row);
      }
    }
  }
  return filled;
}

}  // namespace phasor::own
