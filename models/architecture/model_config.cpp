#include "models/architecture/model_config.h"

#include "models/architecture/contract.h"
#include "models/bert/flops.h"
#include "models/bert/stages.h"
#include "models/convnet/flops.h"
#include "models/convnet/stages.h"
#include "models/gpt2/flops.h"
#include "models/gpt2/stages.h"

namespace phasor::architecture {

namespace {

template <class... Configs>
constexpr bool all_keep_the_contract(const std::variant<Configs...>*) {
  return (Architecture<Configs> && ...);
}
static_assert(all_keep_the_contract(static_cast<const ModelConfig*>(nullptr)));

// What `get` finds in the architecture's own config; 0 where that has no such field.
template <class Get>
std::int64_t field_of(const ModelConfig& model, Get get) {
  return std::visit(
      [&]<class Config>(const Config& config) -> std::int64_t {
        if constexpr (std::invocable<Get, const Config&>) {
          return get(config);
        } else {
          return 0;
        }
      },
      model);
}

}  // namespace

void validate(const ModelConfig& model) {
  std::visit([](const auto& config) { validate(config); }, model);
}

void check_totals(const ModelConfig& model, std::int64_t samples) {
  std::visit([&](const auto& config) { check_totals(config, samples); }, model);
}

Stages training_stages(const ModelConfig& model, layers::MicroBatch batch, std::int64_t slices) {
  return std::visit([&](const auto& config) { return training_stages(config, batch, slices); }, model);
}

Stages inference_stages(const ModelConfig& model, layers::MicroBatch batch, std::int64_t slices) {
  return std::visit([&](const auto& config) { return inference_stages(config, batch, slices); }, model);
}

double training_flops_per_sample(const ModelConfig& model) {
  return std::visit([](const auto& config) { return training_flops_per_sample(config); }, model);
}

std::string summary(const ModelConfig& model) {
  return std::visit([](const auto& config) { return summary(config); }, model);
}

int layers(const ModelConfig& model) {
  return static_cast<int>(field_of(
      model, [](const auto& c) requires requires { c.layers; } { return c.layers; }));
}

ModelConfig with_layers(ModelConfig model, int layers) {
  std::visit(
      [&](auto& config) {
        if constexpr (requires { config.layers; }) config.layers = layers;
      },
      model);
  return model;
}

std::int64_t row_tokens(const ModelConfig& model) {
  return field_of(
      model, [](const auto& c) requires requires { c.sequence_length; } { return c.sequence_length; });
}

void set_row_tokens(ModelConfig& model, std::int64_t tokens) {
  std::visit(
      [&](auto& config) {
        if constexpr (requires { config.sequence_length; }) config.sequence_length = tokens;
      },
      model);
}

std::int64_t table_rows(const ModelConfig& model) {
  return field_of(
      model, [](const auto& c) requires requires { c.vocab_size; } { return c.vocab_size; });
}

}  // namespace phasor::architecture
