#include "models/verify/executions/transformers_batch.h"

#include "models/architecture/model_config.h"
#include "models/fields/alternatives.h"

namespace phasor::run {

namespace {

constexpr std::int32_t kNoLabel = -100;  // as PyTorch's cross entropy has it

bool is_text(const ResolvedRun& config) { return std::holds_alternative<task_options::TextOptions>(config.data.task); }

using Chosen = std::span<const std::int64_t>;

std::vector<std::int32_t> copy_of(std::span<const std::int32_t> values) { return {values.begin(), values.end()}; }

NamedArray whole(const BatchTensors& batch, const char* name) {
  const auto extents = batch.shape(name).extents();
  return {name, {extents.begin(), extents.end()}, copy_of(batch.of<std::int32_t>(name))};
}

std::vector<NamedArray> squad_arrays(const Samples& samples, Chosen chosen, const BatchTensors& batch) {
  const auto count = std::ssize(chosen);
  const std::int64_t tokens = batch.shape("input_ids")[1];
  std::vector<std::int32_t> attends;
  for (const std::int64_t sample : chosen) {
    const auto length = static_cast<std::size_t>(samples.tokens(sample));
    attends.insert(attends.end(), length, 1);
    attends.insert(attends.end(), static_cast<std::size_t>(tokens) - length, 0);
  }
  const std::span<const std::int32_t> labels = batch.of<std::int32_t>("labels");
  return {whole(batch, "input_ids"),
          whole(batch, "token_type_ids"),
          {"attention_mask", {count, tokens}, std::move(attends)},
          {"start_positions", {count}, copy_of(labels.first(chosen.size()))},
          {"end_positions", {count}, copy_of(labels.last(chosen.size()))}};
}

std::vector<NamedArray> text_arrays(const BatchTensors& batch) {
  NamedArray labels = whole(batch, "labels");
  const std::span<const float> weights = batch.of<float>("label_weights");
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (weights[i] == 0) labels.elements[i] = kNoLabel;
  }
  return {whole(batch, "input_ids"), std::move(labels)};
}

}  // namespace

std::vector<NamedArray> transformers_batch(const ResolvedRun& config, const Samples& samples, Chosen chosen) {
  BatchTensors batch(architecture::training_stages(config.model, std::ssize(chosen)));
  std::vector<Place> places;
  for (const std::int64_t sample : chosen) {
    places.push_back({.sample = sample, .label_weight = 1, .row = std::ssize(places)});
  }
  samples.fill(places, batch);
  return is_text(config) ? text_arrays(batch) : squad_arrays(samples, chosen, batch);
}

void check_has_transformers_batch(const ResolvedRun& config) {
  check(is_text(config) || std::holds_alternative<task_options::SquadOptions>(config.data.task),
        "data.task is {}, expected squad or text", fields::name_of(config.data.task));
}

}  // namespace phasor::run
