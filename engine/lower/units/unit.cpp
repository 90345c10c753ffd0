#include "engine/lower/units/unit.h"

#include <algorithm>
#include <map>

#include "engine/transform/append_graph.h"

namespace phasor {

std::vector<Unit> stage_units(const Stages& stages) {
  std::vector<Unit> units;
  int instance = 0, boundary = 0;
  bool learns = false;  // so far
  for (int s = 0; s < static_cast<int>(stages.size()); ++s) {
    const Stage& stage = stages[s];
    Unit unit{.name = stage.name,
              .instances = stage.instances,
              .first_instance = instance,
              .sliced = stage.sliced(),
              .first_boundary = boundary,
              .graph = stage.graph,
              .variables = {},
              .batch = stage.batch,
              .results = stage.results,
              .positions = {},
              .carried = {},
              .x = stage.x,
              .y = stage.y,
              .partial = stage.partial,
              .loss = stage.loss,
              .kept = {},
              .stage_begins = {0}};
    for (int v = 0; v < static_cast<int>(stage.variables.size()); ++v) {
      const bool frozen = is_frozen(stages, {s, v});
      unit.variables.push_back(
          {.stage = s, .variable = v, .row = 0, .value = stage.variables[v].value, .frozen = frozen});
    }
    const bool own = std::ranges::any_of(unit.variables, [](const UnitVariable& v) { return !v.frozen; });
    unit.learns_before = learns || (own && stage.instances > 1 && !stage.sliced());
    unit.learns = learns = learns || own;
    if (stage.position.valid()) unit.positions.push_back({.instance = instance, .value = stage.position});
    for (const auto& [name, before, after] : stage.carried)
      unit.carried.push_back({stage.name, name, stage.instances, 0, before, after});
    if (stage.loss.valid()) {
      for (const Node& node : stage.graph.nodes) {
        unit.kept.insert(unit.kept.end(), node.outputs.begin(), node.outputs.end());
      }
    }
    units.push_back(std::move(unit));
    instance += stage.instances;
    boundary += stage.sliced() ? 1 : stage.instances;
  }
  return units;
}

namespace {

// Whether a stage instance in front of number `first`, counted over the model, has a variable that is not frozen.
bool learns_before(const Stages& stages, int first) {
  int instance = 0;
  for (int s = 0; s < static_cast<int>(stages.size()) && instance < first; instance += stages[s++].instances) {
    for (int v = 0; v < static_cast<int>(stages[s].variables.size()); ++v) {
      if (!is_frozen(stages, {s, v})) return true;
    }
  }
  return false;
}

class ModelTracer {
 public:
  ModelTracer(const Stages& stages, InstanceRange instances) : stages_(stages), instances_(instances) {}

  Unit run(const std::string& name) {
    unit_.name = name;
    unit_.first_instance = unit_.first_boundary = instances_.first;  // each makes one
    unit_.boundaries = instances_.end - instances_.first;
    for (int s = 0; s < static_cast<int>(stages_.size()); ++s) {
      for (int n = 0; n < stages_[s].instances; ++n, ++instance_) {
        if (instance_ >= instances_.first && instance_ < instances_.end) append_instance(s, n);
      }
    }
    if (instance_ > instances_.end) unit_.y = activation_;
    std::reverse(groups_.begin(), groups_.end());
    for (auto& group : groups_) unit_.variables.insert(unit_.variables.end(), group.begin(), group.end());
    return std::move(unit_);
  }

 private:
  void append_instance(int s, int n) {
    const Stage& stage = stages_[s];
    ensure(!stage.sliced(), "model unit: stage '{}' is sliced; what is resident gains nothing by it", stage.name);
    std::map<Value, Value> given;  // from the stage's inputs to the model's values
    std::vector<UnitVariable> group;
    for (int v = 0; v < static_cast<int>(stage.variables.size()); ++v) {
      const Value input = stage.variables[v].value;
      given[input] = unit_.graph.add_input(stage.graph.spec(input), instance_name(s, n, stage.variables[v].name));
      group.push_back(
          {.stage = s, .variable = v, .row = n, .value = given[input], .frozen = is_frozen(stages_, {s, v})});
    }
    for (const NamedValue& item : stage.batch) given[item.value] = batch_input(item.name, stage.graph.spec(item.value));
    if (stage.position.valid()) {
      given[stage.position] = unit_.graph.add_input(stage.graph.spec(stage.position), "position");
      unit_.positions.push_back({.instance = instance_, .value = given[stage.position]});
    }
    for (const CarriedState& state : stage.carried)
      given[state.before] = unit_.graph.add_input(stage.graph.spec(state.before), instance_name(s, n, state.name));
    if (stage.x.valid() && !activation_.valid()) {
      activation_ = unit_.x = unit_.graph.add_input(stage.graph.spec(stage.x), "x");
    }
    if (stage.x.valid()) given[stage.x] = activation_;

    std::vector<Value> inputs;
    for (Value input : stage.graph.inputs) inputs.push_back(given.at(input));
    unit_.stage_begins.push_back(static_cast<int>(unit_.graph.nodes.size()));
    const std::vector<Value> renamed = append_graph(unit_.graph, stage.graph, inputs);
    for (const Node& node : stage.graph.nodes) {
      for (Value output : node.outputs) {
        std::string& name = unit_.graph[renamed[output.id]].name;
        if (!name.empty()) name = instance_name(s, n, name);
      }
    }
    for (const auto& [name, before, after] : stage.carried)
      unit_.carried.push_back({stage.name, name, stage.instances, n, given.at(before), renamed[after.id]});
    for (const NamedValue& result : stage.results) unit_.results.push_back({result.name, renamed[result.value.id]});
    if (stage.y.valid()) {
      activation_ = renamed[stage.y.id];
      unit_.kept.push_back(activation_);
    } else {
      for (const Node& node : stage.graph.nodes) {
        for (Value output : node.outputs) unit_.kept.push_back(renamed[output.id]);
      }
    }
    if (stage.loss.valid()) unit_.loss = renamed[stage.loss.id];
    groups_.push_back(std::move(group));
  }

  std::string instance_name(int s, int n, const std::string& name) const {
    return fmt::format("{}.{}.{}", stages_[s].name, n, name);
  }

  // One input however many stages read it.
  Value batch_input(const std::string& name, const TensorSpec& spec) {
    for (const NamedValue& item : unit_.batch) {
      if (item.name == name) return item.value;
    }
    unit_.batch.push_back({name, unit_.graph.add_input(spec, name)});
    return unit_.batch.back().value;
  }

  const Stages& stages_;
  InstanceRange instances_;
  Unit unit_;
  std::vector<std::vector<UnitVariable>> groups_;  // variables by stage instance
  Value activation_;                               // between the stages so far and the next
  int instance_ = 0;
};

}  // namespace

Unit model_unit(const Stages& stages, InstanceRange instances, const std::string& name) {
  Unit unit = ModelTracer(stages, instances).run(name);
  unit.learns_before = learns_before(stages, instances.first);
  unit.learns = unit.learns_before ||
                std::ranges::any_of(unit.variables, [](const UnitVariable& variable) { return !variable.frozen; });
  return unit;
}

}  // namespace phasor
