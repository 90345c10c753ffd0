#include "tests/support/reference_training.h"

#include <algorithm>
#include <numeric>

#include "engine/transform/autodiff.h"
#include "tests/support/drawn_samples.h"
#include "tests/support/records.h"
#include "tests/support/reference_executor.h"

namespace phasor::test {

namespace {

using Values = Elements<double>;

class ReferenceTraining {
 public:
  ReferenceTraining(const test::RunOptions& options, const Stages& stages, const run::BatchTensors& batch)
      : options_(options),
        stages_(stages),
        batch_(batch),
        machine_(memory_store(), 1, 1),
        state_(stages, machine_.memory, 0) {
    state_.initialise(options.seed);
    const std::vector<InstanceNumbers> numbers = number_instances(stages);
    for (int stage = 0; stage < static_cast<int>(stages.size()); ++stage) {
      for (int n = 0; n < stages[stage].instances; ++n)
        instances_.push_back({stage, n, numbers[instances_.size()].stage});
    }
  }

  double run() {
    double loss = 0;
    for (const Instance& at : instances_) {
      const Stage& stage = stages_[at.stage];
      Graph graph = stage.graph;
      graph.outputs = {stage.y.valid() ? stage.y : stage.loss};
      Values y = evaluate(graph, inputs_of(at, graph))[0];
      if (!stage.y.valid()) loss = y.reals[0];
      x_.push_back(std::move(y));
    }
    Values dy;
    dy.reals = {1};
    for (auto at = instances_.rbegin(); at != instances_.rend(); ++at) {
      x_.pop_back();
      dy = gradients_of(*at, dy);
    }
    return loss;
  }

  // Of a variable of an instance.
  const std::vector<double>& gradient(const CanonicalTensor& tensor) const {
    const auto at = std::ranges::find_if(instances_, [&](const Instance& instance) {
      return instance.stage == tensor.stage && instance.instance == tensor.instance;
    });
    return at->gradients[static_cast<std::size_t>(tensor.variable)];
  }

 private:
  struct Instance {
    int stage = 0, instance = 0;
    std::int64_t number = 0;
    std::vector<std::vector<double>> gradients{};
  };

  // The inputs of the stage's own graph, in the order of `graph`, and dy behind them where there is one.
  std::vector<Values> inputs_of(const Instance& at, const Graph& graph) const {
    const Stage& stage = stages_[at.stage];
    std::vector<Values> inputs;
    for (const Value input : graph.inputs) {
      Values values(graph.spec(input));
      if (input == stage.x) values = x_.back();
      if (input == stage.position) {
        values.longs = to_longs({.seed = static_cast<std::int64_t>(options_.seed), .stage = at.number});
      }
      for (std::size_t v = 0; v < stage.variables.size(); ++v) {
        if (input != stage.variables[v].value) continue;
        const auto weight = state_.read(StateKind::weight, at.stage, at.instance, static_cast<int>(v));
        values.reals.assign(weight.begin(), weight.end());
      }
      for (const auto& [name, value] : stage.batch) {
        if (input != value) continue;
        if (graph.spec(input).dtype == DType::i32) std::ranges::copy(batch_.of<std::int32_t>(name), values.ids.begin());
        if (graph.spec(input).dtype == DType::f32) std::ranges::copy(batch_.of<float>(name), values.reals.begin());
      }
      inputs.push_back(std::move(values));
    }
    return inputs;
  }

  // Keeps those of the variables and returns that of x.
  Values gradients_of(Instance& at, const Values& dy) const {
    const Stage& stage = stages_[at.stage];
    Graph graph = stage.graph;
    const Value y = stage.y.valid() ? stage.y : stage.loss;
    std::vector<Values> inputs = inputs_of(at, graph);
    const Value seed = graph.add_input(graph.spec(y), "dy");
    inputs.push_back(dy);
    std::vector<Value> by;
    for (const Variable& variable : stage.variables) by.push_back(variable.value);
    if (stage.x.valid()) by.push_back(stage.x);
    graph.outputs = autodiff(graph, std::vector<Seed>{{y, seed}}, by);
    std::vector<Values> gradients = evaluate(graph, inputs);
    for (std::size_t v = 0; v < stage.variables.size(); ++v) at.gradients.push_back(std::move(gradients[v].reals));
    return stage.x.valid() ? std::move(gradients.back()) : Values{};
  }

  const test::RunOptions& options_;
  const Stages& stages_;
  const run::BatchTensors& batch_;
  Machine machine_;
  ModelState state_;
  std::vector<Instance> instances_;
  std::vector<Values> x_;  // activations that instances have made so far
};

}  // namespace

ReferenceStep reference_step(const test::RunOptions& options) {
  const test::DrawnSamples samples(options, 0);
  std::vector<std::int64_t> all(static_cast<std::size_t>(samples.size()));
  std::iota(all.begin(), all.end(), 0);
  ReferenceStep result{.rows = run::rows_of(run::place_in_rows(samples, all, options.room(1)))};
  std::vector<run::Place> places = run::place_in_rows(samples, all, options.room(result.rows));
  for (run::Place& place : places) place.label_weight = 0.5f / static_cast<float>(samples.size());
  const Stages stages = bert::training_stages(options.model, options.micro_batch(result.rows));
  run::BatchTensors batch(stages);
  samples.fill(places, batch);
  ReferenceTraining training(options, stages, batch);
  result.loss = training.run();
  for (const CanonicalTensor& tensor : canonical_tensors(stages)) {
    const auto whole = std::span(training.gradient(tensor));
    const auto part = whole.subspan(static_cast<std::size_t>(tensor.first_element),
                                    static_cast<std::size_t>(tensor.shape.elements()));
    result.names.push_back(tensor.name);
    result.gradients.emplace_back(part.begin(), part.end());
  }
  return result;
}

}  // namespace phasor::test
