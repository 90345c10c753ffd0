#include "engine/lower/units/update_graphs.h"

#include <algorithm>

#include "engine/ir/builder.h"
#include "engine/ir/records.h"
#include "engine/ir/verifier.h"

namespace phasor {

namespace {

const TensorSpec kFactor{DType::f32, {1}};  // of gradients, or of an update

Graph verified(Graph graph) {
  verify(graph);
  return graph;
}

}  // namespace

int count_positions(const std::vector<UpdateSlice>& slices) {
  int count = 0;
  for (const UpdateSlice& slice : slices) {
    if (slice.placement.stores == DType::bf16) count = std::max(count, slice.draw.position + 1);
  }
  return count;
}

int count_steps(const std::vector<UpdateSlice>& slices, const OptimizerOptions& options) {
  int count = 1;
  if (options.layer_decay == 1) return count;
  for (const UpdateSlice& slice : slices) count = std::max(count, slice.draw.position + 1);
  return count;
}

namespace {

// A graph of updates, its inputs in their order: tensors of the slices first, then what add_numbers() adds.
class UpdateWriter {
 public:
  UpdateWriter(const std::vector<UpdateSlice>& slices, const OptimizerOptions& options)
      : slices_(slices), options_(options) {}

  Value add_state(const UpdateSlice& slice, StateKind kind, const char* prefix) {
    return graph_.add_input({slice.placement.dtype(kind), {slice.elements}}, prefix + slice.name);
  }
  Value add_moment(const UpdateSlice& slice, StateKind kind, const char* prefix, bool kept) {
    return kept ? add_state(slice, kind, prefix) : Value{};
  }
  Value add_input(const TensorSpec& spec, const std::string& name) { return graph_.add_input(spec, name); }

  void add_numbers(bool clips, bool draws) {
    const int steps = count_steps(slices_, options_);
    for (int k = 0; k < steps; ++k) {
      steps_.push_back(graph_.add_input(kAdamStepSpec, steps == 1 ? "step" : fmt::format("step{}", k)));
    }
    if (clips && options_.max_grad_norm > 0) clip_ = graph_.add_input(kFactor, "clip");
    for (int k = 0; draws && k < count_positions(slices_); ++k) {
      positions_.push_back(graph_.add_input(kUpdatePositionSpec, fmt::format("update_position{}", k)));
    }
  }

  Value step(const UpdateSlice& slice) const {
    return steps_[options_.layer_decay == 1 ? 0 : static_cast<std::size_t>(slice.draw.position)];
  }
  Value clip() const { return clip_; }
  AdamAttributes attributes(const UpdateSlice& slice) const {
    return {.beta1 = options_.beta1,
            .beta2 = options_.beta2,
            .eps = options_.eps,
            .weight_decay = slice.decays ? options_.weight_decay : 0,
            .decoupled = options_.decoupled_weight_decay,
            .rounds = slice.placement.rounds()};
  }
  DescentAttributes descent_attributes(const UpdateSlice& slice) const {
    return {.momentum = options_.momentum,
            .weight_decay = slice.decays ? options_.weight_decay : 0,
            .nesterov = options_.nesterov,
            .rounds = slice.placement.rounds()};
  }

  AdafactorAttributes matrix_attributes(const UpdateSlice& slice) const {
    const Matrices& matrices = slice.placement.matrices;
    return {.matrices = matrices.count,
            .rows = matrices.rows,
            .columns = matrices.columns,
            .weight_decay = slice.decays ? options_.weight_decay : 0,
            .rounds = slice.placement.rounds()};
  }
  // Of a slice's rows, and of all columns.
  Builder::FactorSums add_factors(const UpdateSlice& slice, DType dtype) {
    const std::int64_t columns = slice.placement.matrices.columns;
    const Value rows = graph_.add_input({dtype, {slice.elements / columns}}, "rows " + slice.name);
    return {rows, graph_.add_input({dtype, {columns}}, "columns " + slice.name)};
  }

  // The new weight as it is kept.
  Value stored(const UpdateSlice& slice, Value w) {
    const Placement& placement = slice.placement;
    if (placement.stores != DType::bf16) return w;
    const std::int64_t shard = placement.sharded ? placement.local_elements : 0;
    return Builder(graph_).stochastic_round(w, positions_[static_cast<std::size_t>(slice.draw.position)],
                                            {.number = slice.draw.number,
                                             .shard_elements = shard,
                                             .first = slice.first,
                                             .slice_elements = placement.elements});
  }
  void add_outputs(std::initializer_list<Value> outputs) {
    for (Value output : outputs) {
      if (output.valid()) graph_.outputs.push_back(output);
    }
  }

  Builder builder() { return Builder(graph_); }
  Graph finish() { return verified(std::move(graph_)); }

 private:
  const std::vector<UpdateSlice>& slices_;
  const OptimizerOptions& options_;
  Graph graph_;
  std::vector<Value> steps_, positions_;
  Value clip_;
};

}  // namespace

Graph update_graph(const std::vector<UpdateSlice>& slices, const OptimizerOptions& options) {
  UpdateWriter writer(slices, options);
  struct State {
    Value w, m, v, g;
  };
  std::vector<State> states;
  for (const UpdateSlice& slice : slices) {
    const Value w = writer.add_state(slice, StateKind::weight, "");
    const Value m = writer.add_moment(slice, StateKind::moment1, "m ", options.keeps_moment1());
    const Value v = writer.add_moment(slice, StateKind::moment2, "v ", options.keeps_moment2());
    states.push_back({w, m, v, writer.add_state(slice, StateKind::gradient, "d ")});
  }
  writer.add_numbers(true, true);
  Builder b = writer.builder();
  for (std::size_t i = 0; i < slices.size(); ++i) {
    const UpdateSlice& slice = slices[i];
    const Value w = b.convert(states[i].w, DType::f32), step = writer.step(slice);
    const Builder::Updated updated =
        options.kind == OptimizerKind::descent
            ? b.descent(w, states[i].m, states[i].g, step, writer.clip(), writer.descent_attributes(slice))
            : b.adam(w, states[i].m, states[i].v, states[i].g, step, writer.clip(), writer.attributes(slice));
    writer.add_outputs({writer.stored(slice, updated.w), updated.m, updated.v, updated.rounded});
  }
  return writer.finish();
}

Graph lamb_moments_graph(const std::vector<UpdateSlice>& slices, const OptimizerOptions& options) {
  UpdateWriter writer(slices, options);
  struct State {
    Value w, m, v, g, sums;
  };
  std::vector<State> states;
  for (const UpdateSlice& slice : slices) {
    const Value w = writer.add_state(slice, StateKind::weight, "");
    const Value m = writer.add_state(slice, StateKind::moment1, "m ");
    const Value v = writer.add_state(slice, StateKind::moment2, "v ");
    const Value g = writer.add_state(slice, StateKind::gradient, "d ");
    states.push_back({w, m, v, g, writer.add_input(kLambSumsSpec, "sums " + slice.name)});
  }
  writer.add_numbers(true, false);
  Builder b = writer.builder();
  for (std::size_t i = 0; i < slices.size(); ++i) {
    const auto& [w, m, v, g, sums] = states[i];
    const auto made = b.lamb_moments(m, v, sums, b.convert(w, DType::f32), g, writer.step(slices[i]), writer.clip(),
                                     writer.attributes(slices[i]));
    writer.add_outputs({made.m, made.v, made.sums});
  }
  return writer.finish();
}

Graph lamb_ratio_graph(int replicas) {
  Graph graph;
  const Value sums = graph.add_input({DType::i64, {replicas * kLambSumsSpec.elements()}}, "sums");
  graph.outputs = {Builder(graph).lamb_ratio(sums)};
  return verified(std::move(graph));
}

Graph lamb_weights_graph(const std::vector<UpdateSlice>& slices, const OptimizerOptions& options) {
  UpdateWriter writer(slices, options);
  struct State {
    Value w, m, v, ratio;
  };
  std::vector<State> states;
  for (const UpdateSlice& slice : slices) {
    const Value w = writer.add_state(slice, StateKind::weight, "");
    const Value m = writer.add_state(slice, StateKind::moment1, "m ");
    const Value v = writer.add_state(slice, StateKind::moment2, "v ");
    states.push_back({w, m, v, writer.add_input(kFactor, "ratio " + slice.name)});
  }
  writer.add_numbers(false, true);
  Builder b = writer.builder();
  for (std::size_t i = 0; i < slices.size(); ++i) {
    const auto& [w, m, v, ratio] = states[i];
    const UpdateSlice& slice = slices[i];
    const auto updated =
        b.lamb_weights(b.convert(w, DType::f32), m, v, writer.step(slice), ratio, writer.attributes(slice));
    writer.add_outputs({writer.stored(slice, updated.w), updated.rounded});
  }
  return writer.finish();
}

Graph adafactor_sums_graph(const std::vector<UpdateSlice>& slices, const OptimizerOptions& options) {
  UpdateWriter writer(slices, options);
  std::vector<std::pair<Value, Builder::FactorSums>> states;
  for (const UpdateSlice& slice : slices) {
    const Value g = writer.add_state(slice, StateKind::gradient, "d ");
    states.emplace_back(g, writer.add_factors(slice, DType::i64));
  }
  writer.add_numbers(true, false);
  Builder b = writer.builder();
  for (std::size_t i = 0; i < slices.size(); ++i) {
    const auto& [g, sums] = states[i];
    const auto made =
        b.adafactor_sums(sums, g, writer.step(slices[i]), writer.clip(), writer.matrix_attributes(slices[i]));
    writer.add_outputs({made.rows, made.columns});
  }
  return writer.finish();
}

Graph adafactor_factors_graph(const std::vector<UpdateSlice>& slices, const OptimizerOptions& options) {
  UpdateWriter writer(slices, options);
  std::vector<std::pair<Value, Value>> states;
  for (const UpdateSlice& slice : slices) {
    const Shape numbers{slice.placement.matrices.numbers()};
    const Value v = writer.add_input({DType::f32, numbers}, "v " + slice.name);
    states.emplace_back(v, writer.add_input({DType::i64, numbers}, "sums " + slice.name));
  }
  writer.add_numbers(false, false);
  Builder b = writer.builder();
  for (std::size_t i = 0; i < slices.size(); ++i) {
    const auto& [v, sums] = states[i];
    const auto made = b.adafactor_factors(v, sums, writer.step(slices[i]), writer.matrix_attributes(slices[i]));
    writer.add_outputs({made.moments, made.factors});
  }
  return writer.finish();
}

Graph adafactor_squares_graph(const std::vector<UpdateSlice>& slices, const OptimizerOptions& options) {
  UpdateWriter writer(slices, options);
  struct State {
    Value g, squares;
    Builder::FactorSums factors;
  };
  std::vector<State> states;
  for (const UpdateSlice& slice : slices) {
    const Value g = writer.add_state(slice, StateKind::gradient, "d ");
    const Value squares = writer.add_input(kSquareSumSpec, "squares " + slice.name);
    states.push_back({g, squares, writer.add_factors(slice, DType::f32)});
  }
  writer.add_numbers(true, false);
  Builder b = writer.builder();
  for (std::size_t i = 0; i < slices.size(); ++i) {
    const auto& [g, squares, factors] = states[i];
    writer.add_outputs({b.adafactor_squares(squares, g, factors, writer.step(slices[i]), writer.clip(),
                                            writer.matrix_attributes(slices[i]))});
  }
  return writer.finish();
}

Graph adafactor_weights_graph(const std::vector<UpdateSlice>& slices, const OptimizerOptions& options) {
  UpdateWriter writer(slices, options);
  struct State {
    Value w, g, squares;
    Builder::FactorSums factors;
  };
  std::vector<State> states;
  for (const UpdateSlice& slice : slices) {
    const Value w = writer.add_state(slice, StateKind::weight, "");
    const Value g = writer.add_state(slice, StateKind::gradient, "d ");
    const Value squares = writer.add_input(kSquareSumSpec, "squares " + slice.name);
    states.push_back({w, g, squares, writer.add_factors(slice, DType::f32)});
  }
  writer.add_numbers(true, true);
  Builder b = writer.builder();
  for (std::size_t i = 0; i < slices.size(); ++i) {
    const auto& [w, g, squares, factors] = states[i];
    const UpdateSlice& slice = slices[i];
    const auto updated = b.adafactor_weights(b.convert(w, DType::f32), g, factors, squares, writer.step(slice),
                                             writer.clip(), writer.matrix_attributes(slice));
    writer.add_outputs({writer.stored(slice, updated.w), updated.rounded});
  }
  return writer.finish();
}

Graph square_sum_graph(const std::vector<Placement>& placements) {
  Graph graph;
  std::vector<Value> gradients;
  for (const Placement& placement : placements)
    gradients.push_back(graph.add_input(placement.local_spec(StateKind::gradient), "g"));
  Value sum = graph.add_input(kSquareSumSpec, "sum");
  Builder b(graph);
  for (Value gradient : gradients) sum = b.square_sum(sum, gradient);
  graph.outputs = {sum};
  return verified(std::move(graph));
}

Graph clip_graph(const OptimizerOptions& options, int replicas) {
  Graph graph;
  const TensorSpec sums{DType::i64, {replicas * kSquareSumSpec.shape.elements()}};
  const Value sharded = graph.add_input(sums, "sharded"), whole = graph.add_input(kSquareSumSpec, "whole");
  const Value step = graph.add_input(kAdamStepSpec, "step");
  Builder b(graph);
  const auto [clip, norm] = b.clip_factor(sharded, whole, step, {.max_norm = options.max_grad_norm});
  graph.outputs = {clip, norm};
  return verified(std::move(graph));
}

}  // namespace phasor
