// What makes a struct of sizes an architecture that runs can train: functions of it, in its own namespace, for all that
// model_config.h asks. One that is missing does not compile.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>

#include "engine/ir/stage.h"
#include "models/layers/micro_batch.h"

namespace phasor {

template <class Config>
concept Architecture = requires(const Config& config, std::int64_t samples, layers::MicroBatch batch) {
  { Config::kName } -> std::convertible_to<std::string>;
  validate(config);
  check_totals(config, samples);
  { training_stages(config, batch, samples) } -> std::same_as<Stages>;
  { inference_stages(config, batch, samples) } -> std::same_as<Stages>;
  { training_flops_per_sample(config) } -> std::same_as<double>;
  { summary(config) } -> std::same_as<std::string>;
};

}  // namespace phasor
