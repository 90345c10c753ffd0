#include "engine/lower/units/training_graphs.h"

#include <algorithm>
#include <map>

#include "engine/ir/builder.h"
#include "engine/ir/verifier.h"
#include "engine/transform/autodiff.h"
#include "engine/transform/extract.h"
#include "engine/transform/fuse_gelu.h"
#include "engine/transform/fuse_vocabulary.h"
#include "engine/transform/hoist.h"
#include "engine/transform/recompute.h"

namespace phasor {

namespace {

std::map<Value, Port> input_ports(const Unit& unit) {
  std::map<Value, Port> ports;
  for (int i = 0; i < static_cast<int>(unit.variables.size()); ++i) ports[unit.variables[i].value] = {Role::weight, i};
  for (int i = 0; i < static_cast<int>(unit.batch.size()); ++i) ports[unit.batch[i].value] = {Role::batch, i};
  for (int i = 0; i < static_cast<int>(unit.positions.size()); ++i)
    ports[unit.positions[i].value] = {Role::position, i};
  for (int i = 0; i < static_cast<int>(unit.carried.size()); ++i) ports[unit.carried[i].before] = {Role::carried, i};
  if (unit.x.valid()) ports[unit.x] = {Role::x};
  if (unit.partial.valid()) ports[unit.partial] = {Role::partial};
  return ports;
}

// The part of `graph` that computes `outputs` from `inputs`, with the role of each.
UnitGraph part_of(const Graph& graph, const std::map<Value, Port>& ports, const std::vector<Value>& inputs,
                  const std::vector<Value>& outputs) {
  Extracted extracted = extract(graph, inputs, outputs);
  verify(extracted.graph);
  UnitGraph result{.graph = std::move(extracted.graph)};
  for (Value input : extracted.inputs) result.inputs.push_back(ports.at(input));
  for (Value output : outputs) result.outputs.push_back(ports.at(output));
  return result;
}

class Differentiation {
 public:
  Differentiation(const Unit& unit, Recompute recompute_what, int first_kept)
      : unit_(unit),
        recompute_(recompute_what),
        graph_(unit.graph),
        first_backward_(static_cast<int>(graph_.nodes.size())),
        first_kept_(first_kept < std::ssize(unit.stage_begins) ? unit.stage_begins[first_kept] : first_backward_),
        ports_(input_ports(unit)),
        available_(graph_.inputs) {}

  TrainingGraphs run() {
    if (!unit_.learns) return forward_alone();
    add_gradients();
    add_accumulation();
    graph_.outputs.clear();
    graph_ = fuse_vocabulary(std::move(graph_));
    verify(graph_);

    TrainingGraphs graphs;
    if (unit_.loss.valid()) {
      wanted_.push_back(unit_.loss);
      ports_[unit_.loss] = {Role::loss};
    } else {
      std::vector<Value> outputs{unit_.y};
      ports_[unit_.y] = {Role::y};
      if (recompute_ == Recompute::none || has_stages()) keep_activations(graphs, outputs);
      graphs.forward = part_of(graph_, ports_, unit_.graph.inputs, outputs);
    }
    graphs.gradient = part_of(graph_, ports_, available_, wanted_);
    return graphs;
  }

 private:
  // Several, each of which is made again from the activation in front of it, which the forward graph keeps.
  bool has_stages() const { return unit_.stage_begins.size() > 1; }

  // Of a unit that no gradient reaches.
  TrainingGraphs forward_alone() {
    ensure(!unit_.loss.valid(), "unit '{}': every variable of the model is frozen", unit_.name);
    graph_.outputs.clear();
    ports_[unit_.y] = {Role::y};
    return {.forward = part_of(graph_, ports_, unit_.graph.inputs, {unit_.y}), .gradient = {}, .kept = {}};
  }

  // Appends dx, where anything learns from it, and the gradient of each variable that is not frozen.
  void add_gradients() {
    const Value y = unit_.loss.valid() ? unit_.loss : unit_.y;
    const Value dy = add_input(graph_.spec(y), unit_.loss.valid() ? "loss_scale" : "dy",
                               {unit_.loss.valid() ? Role::loss_scale : Role::dy});
    std::vector<Value> by;
    for (const UnitVariable& variable : unit_.variables) {
      if (!variable.frozen) by.push_back(variable.value);
    }
    const bool has_dx = unit_.x.valid() && unit_.learns_before;
    if (has_dx) by.push_back(unit_.x);
    const Seed seed{y, dy};
    gradients_ = autodiff(graph_, std::span(&seed, 1), by);
    if (has_dx) {
      Value dx = gradients_.back();
      gradients_.pop_back();
      // Where dy passes through untouched, dx is still a tensor of its own.
      if (dx == dy) dx = Builder(graph_).append(Op::reshape, {dy}, ShapeAttributes{graph_.spec(dy).shape})[0];
      if (unit_.sliced) dx = added_to_later_slices(dx);
      if (named() && graph_[dx].name.empty()) graph_[dx].name = gradient_name(graph_[unit_.x].name);
      wanted_.push_back(dx);
      ports_[dx] = {Role::dx};
    }
    if (recompute_ == Recompute::layer && (unit_.loss.valid() || has_stages())) {
      std::vector<Value> kept = costly(first_kept_);
      kept.insert(kept.end(), unit_.kept.begin(), unit_.kept.end());
      graph_ = recompute(graph_, first_backward_, kept);
    }
    if (recompute_ == Recompute::none && !unit_.loss.valid()) graph_ = recompute(graph_, first_backward_, costly(0));
    graph_ = fuse_gelu(std::move(graph_), first_backward_);
  }

  // The op that makes dx goes on with the sum, or else it is added.
  Value added_to_later_slices(Value dx) {
    const Value sum = add_input(graph_.spec(dx), "dx", {Role::dx});
    const int producer = graph_[dx].producer;
    if (producer < 0 || graph_.nodes[producer].op != Op::vocabulary_gradient) return Builder(graph_).add(sum, dx);
    graph_.nodes[producer].inputs.push_back(sum);
    return dx;
  }

  // Forward values, of nodes from `first` on, that are cheaper to keep than to make again: all but the results of gelu.
  std::vector<Value> costly(int first) const {
    std::vector<Value> values;
    for (int i = first; i < first_backward_; ++i) {
      const Node& node = graph_.nodes[i];
      if (node.op != Op::gelu) values.insert(values.end(), node.outputs.begin(), node.outputs.end());
    }
    return values;
  }

  // Adds each gradient to its accumulator as soon as it is there.
  void add_accumulation() {
    Builder b(graph_);
    const int first = static_cast<int>(graph_.nodes.size());
    auto next = gradients_.begin();
    for (int i = 0; i < static_cast<int>(unit_.variables.size()); ++i) {
      if (unit_.variables[i].frozen) continue;
      const Value gradient = *next++;
      const std::string name = graph_[unit_.variables[i].value].name;  // a copy: the list grows
      ensure(gradient.valid(), "unit '{}': nothing depends on variable '{}'", unit_.name, name);
      const TensorSpec spec{DType::f32, graph_.spec(gradient).shape};
      const Value before = add_input(spec, gradient_name(name), {Role::accumulator, i});
      const Value after = accumulated(b, before, gradient);
      if (named()) graph_[after].name = gradient_name(name);
      ports_[after] = {Role::accumulator, i};
      wanted_.push_back(after);
    }
    graph_ = hoist(std::move(graph_), first);
  }

  // sum + gradient, in the place of the sum where the op that makes the gradient can add it up itself.
  Value accumulated(Builder& b, Value sum, Value gradient) {
    const int producer = graph_[gradient].producer;
    if (producer < 0) return b.add(sum, gradient);
    const Node node = graph_.nodes[producer];  // a copy: the list grows
    if (node.op == Op::matmul && node.inputs.size() == 2) {
      return b.matmul_add(sum, node.inputs[0], node.inputs[1], std::get<MatmulAttributes>(node.attributes));
    }
    if (node.op == Op::embedding_gradient) {
      const Value position = node.inputs.size() == 3 ? node.inputs[2] : Value{};
      return b.embedding_gradient_add(sum, node.inputs[0], node.inputs[1],
                                      std::get<EmbeddingAttributes>(node.attributes), position);
    }
    if (node.op == Op::vocabulary_gradient) {  // which makes dx, too, that others have by now
      graph_.nodes[producer].op = Op::vocabulary_gradient_add;
      graph_.nodes[producer].inputs.insert(graph_.nodes[producer].inputs.begin(), sum);
      return gradient;
    }
    return b.add(sum, gradient);
  }

  // What the backward part needs of the forward part's results leaves with it and comes back later.
  void keep_activations(TrainingGraphs& graphs, std::vector<Value>& forward_outputs) {
    std::vector<bool> is_forward(graph_.values.size(), false);
    for (int i = 0; i < first_backward_; ++i) {
      for (Value output : unit_.graph.nodes[i].outputs) is_forward[output.id] = true;
    }
    for (const Node& node : graph_.nodes) {
      if (is_forward[node.outputs[0].id]) continue;
      for (Value input : node.inputs) {
        if (!is_forward[input.id] || input == unit_.y) continue;
        if (std::find(available_.begin(), available_.end(), input) != available_.end()) continue;
        ports_[input] = {Role::kept, static_cast<int>(graphs.kept.size())};
        graphs.kept.push_back(graph_.spec(input));
        forward_outputs.push_back(input);
        available_.push_back(input);
      }
    }
    available_.push_back(unit_.y);  // it lies in its own buffer
  }

  // Whether the values of the unit have names (transform/name_values.h).
  bool named() const { return !graph_[unit_.loss.valid() ? unit_.loss : unit_.y].name.empty(); }

  Value add_input(const TensorSpec& spec, const std::string& name, Port port) {
    const Value value = graph_.add_input(spec, name);
    ports_[value] = port;
    available_.push_back(value);
    return value;
  }

  const Unit& unit_;
  Recompute recompute_;
  Graph graph_;
  int first_backward_, first_kept_;
  std::map<Value, Port> ports_;
  std::vector<Value> available_, wanted_;  // of the gradient graph
  std::vector<Value> gradients_;           // of the variables that are not frozen, in their order
};

}  // namespace

TrainingGraphs training_graphs(const Unit& unit, Recompute recompute, int first_kept) {
  return Differentiation(unit, recompute, first_kept).run();
}

UnitGraph inference_graph(const Unit& unit) {
  std::map<Value, Port> ports = input_ports(unit);
  std::vector<Value> outputs;
  if (unit.y.valid()) {
    ports[unit.y] = {Role::y};
    outputs.push_back(unit.y);
  }
  for (int i = 0; i < static_cast<int>(unit.results.size()); ++i) {
    ports[unit.results[i].value] = {Role::result, i};
    outputs.push_back(unit.results[i].value);
  }
  for (int i = 0; i < static_cast<int>(unit.carried.size()); ++i) {
    ports[unit.carried[i].after] = {Role::carried, i};
    outputs.push_back(unit.carried[i].after);
  }
  return part_of(unit.graph, ports, unit.graph.inputs, outputs);
}

}  // namespace phasor
