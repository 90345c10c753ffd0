#include "engine/ir/stage_builder.h"

#include <algorithm>

#include "engine/base/error.h"
#include "engine/ir/records.h"

namespace phasor {

Value StageBuilder::variable(const std::string& name, const Shape& shape, Initialiser initialiser, bool decays) {
  const Value value = graph().add_input({DType::f32, shape}, name);
  stage_.variables.push_back(
      {.name = name, .value = value, .initialiser = initialiser, .decays = decays, .parts = {}, .tied_to = {}});
  return value;
}

Value StageBuilder::tied_variable(const std::string& name, const Shape& shape, VariableName owner) {
  const Value value = variable(name, shape, {}, false);
  stage_.variables.back().tied_to = std::move(owner);
  return value;
}

Value StageBuilder::batch(const std::string& name, TensorSpec spec) {
  const Value value = graph().add_input(spec, name);
  stage_.batch.push_back({name, value});
  return value;
}

Value StageBuilder::activation_in(TensorSpec spec) { return stage_.x = graph().add_input(spec, "x"); }

Value StageBuilder::partial_in(TensorSpec spec) { return stage_.partial = graph().add_input(spec, "partial"); }

Value StageBuilder::carried_in(const std::string& name, TensorSpec spec) {
  const Value before = graph().add_input(spec, name);
  stage_.carried.push_back({.name = name, .before = before, .after = {}});
  return before;
}

void StageBuilder::carried_out(const std::string& name, Value after) {
  const auto state = std::ranges::find(stage_.carried, name, &CarriedState::name);
  ensure(state != stage_.carried.end(), "stage '{}': carries no '{}'", stage_.name, name);
  state->after = after;
  graph().outputs.push_back(after);
}

void StageBuilder::activation_out(Value y) {
  stage_.y = y;
  graph().outputs.push_back(y);
}

void StageBuilder::loss(Value loss) {
  stage_.loss = loss;
  graph().outputs.push_back(loss);
}

void StageBuilder::result(const std::string& name, Value value) {
  stage_.results.push_back({name, value});
  graph().outputs.push_back(value);
}

Value StageBuilder::position() {
  if (!stage_.position.valid()) stage_.position = graph().add_input(kRandomPositionSpec, "position");
  return stage_.position;
}

std::int64_t StageBuilder::new_site() {
  ensure(sites_ < kRoundingSite, "stage '{}': has more than {} random draws, the sites that it can tell apart",
         stage_.name, kRoundingSite);
  return sites_++;
}

}  // namespace phasor
