// A small GPT-2 whose weights are random, large enough that what it says does not just repeat itself.
#pragma once

#include <functional>

#include "models/checkpoint/checkpoint.h"
#include "models/config/run_config.h"
#include "models/gpt2/stages.h"

namespace phasor::test {

inline constexpr gpt2::Config kRandomDecoder{.layers = 2,
                                             .hidden_size = 24,
                                             .heads = 3,
                                             .intermediate_size = 40,
                                             .sequence_length = 160,
                                             .max_positions = 160,  // three times what is read of a prompt at once
                                             .vocab_size = 1700,    // four blocks of the head's
                                             .dropout_prob = 0,
                                             .initializer_range = 0.5f};

// A run that asks the model, whose weights, changed by `change`, it saves in the folder.
inline run::RunConfig random_decoder_run(
    const std::string& folder, const gpt2::Config& model = kRandomDecoder,
    const std::function<void(const Stages&, ModelState&)>& change = [](const Stages&, ModelState&) {}) {
  const std::string path = folder + "/decoder.h5";
  const Stages stages = gpt2::training_stages(model, 1);
  RemoteMemory memory(memory_store(), 1);
  ModelState state(stages, memory, 0);
  state.initialise(11);
  change(stages, state);
  run::save_checkpoint(path, stages, state, {});
  run::RunConfig config;
  config.model = model;
  config.data.task = task_options::TextOptions{};
  config.data.cache = "none";
  config.execution.threads_per_replica = 1;
  config.checkpoint.load = path;
  return config;
}

}  // namespace phasor::test
