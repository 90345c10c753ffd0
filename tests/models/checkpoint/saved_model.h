// Checkpoints to save, load and damage.
#pragma once

#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "models/bert/stages.h"
#include "models/checkpoint/checkpoint.h"

namespace phasor::run {

inline const bert::Config kSavedModel{.layers = 2,
                                      .hidden_size = 16,
                                      .heads = 2,
                                      .intermediate_size = 24,
                                      .sequence_length = 8,
                                      .max_positions = 8,
                                      .vocab_size = 31};

// A model's state on two replicas, every tensor of it set from the seed.
struct SavedModel {
  explicit SavedModel(std::uint64_t seed, const bert::Config& config = kSavedModel, int replicas = 2)
      : stages(bert::training_stages(config, 1)), memory(memory_store(), replicas), state(stages, memory, 100) {
    if (seed == 0) return;
    state.initialise(seed);
    float next = static_cast<float>(seed);
    for (const CanonicalTensor& tensor : canonical_tensors(stages)) {
      for (StateKind moment : {StateKind::moment1, StateKind::moment2}) {
        std::vector<float> values = state.read(moment, tensor);
        for (float& value : values) value = next += 0.5f;
        state.write(moment, tensor, values);
      }
    }
  }
  std::vector<std::vector<float>> all() const {
    std::vector<std::vector<float>> all;
    for (const CanonicalTensor& tensor : canonical_tensors(stages)) {
      for (StateKind kind : kSavedStates) all.push_back(state.read(kind, tensor));
    }
    return all;
  }

  Stages stages;
  RemoteMemory memory;
  ModelState state;
};

inline const RunPosition kSavedPosition{.step = 20,
                                        .samples = 320,
                                        .seed = 7,
                                        .config = "model: {layers: 2}",
                                        .global_batch_size = 16,
                                        .data_samples = 100,
                                        .data = "abc",
                                        .loss_scale = 2};

// One line that names the file.
inline void expect_one_line(const std::string& message, const std::string& path, std::size_t where) {
  EXPECT_NE(message.find("'" + path + "'"), message.npos) << where << ": " << message;
  EXPECT_EQ(message.find('\n'), message.npos) << where << ": " << message;
}

// Calls visit(path of the tensor).
template <class Visit>
void for_each_tensor(const io::Hdf5File& file, Visit visit) {
  for (StateKind kind : kSavedStates) {
    const char* group = state_info(kind).name;
    for (const std::string& name : file.children(fmt::format("/{}", group))) visit(fmt::format("/{}/{}", group, name));
  }
}

}  // namespace phasor::run
