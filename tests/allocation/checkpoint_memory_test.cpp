// Saving and loading take the memory of one layer, however many there are.
#include <algorithm>
#include <fstream>
#include <gtest/gtest.h>
#include <string>

#include "models/bert/stages.h"
#include "models/checkpoint/checkpoint.h"
#include "tests/support/temporary_folder.h"

namespace phasor::run {
namespace {

// Of this process, in bytes: "VmRSS", what is resident, or "VmHWM", the most that was.
std::int64_t resident(const std::string& what) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with(what + ":")) return std::stoll(line.substr(what.size() + 1)) * 1024;
  }
  return 0;
}

// Bytes by which the resident memory rises at most while `action` runs.
template <class Action>
std::int64_t rise_during(Action action) {
  std::ofstream("/proc/self/clear_refs") << 5;  // the peak starts anew
  const std::int64_t before = resident("VmRSS");
  action();
  return resident("VmHWM") - before;
}

TEST(CheckpointMemory, IsThatOfOneLayer) {
  const bert::Config config{.layers = 8,
                            .hidden_size = 512,
                            .heads = 4,
                            .intermediate_size = 2048,
                            .sequence_length = 8,
                            .max_positions = 8,
                            .vocab_size = 100};
  const Stages stages = bert::training_stages(config, 1);
  RemoteMemory memory(memory_store(), 2);
  ModelState state(stages, memory, 100);
  state.initialise(1);  // touches its pages
  const std::int64_t states = std::int64_t{3} * sizeof(float);
  const Stage& layer = *std::ranges::find(stages, "layer", &Stage::name);
  const std::int64_t layer_bytes = count_parameters({layer}) / config.layers * states;
  const std::int64_t model_bytes = count_parameters(stages) * states;
  ASSERT_GT(model_bytes, 7 * layer_bytes);

  const test::TemporaryFolder folder;
  const std::string path = folder.file("checkpoint.h5");
  const std::int64_t saving = rise_during([&] { save_checkpoint(path, stages, state, {}); });
  const std::int64_t loading = rise_during([&] { load_checkpoint(path, stages, state); });
  RecordProperty("layer_bytes", static_cast<int>(layer_bytes));
  RecordProperty("saving_bytes", static_cast<int>(saving));
  RecordProperty("loading_bytes", static_cast<int>(loading));
  EXPECT_LT(saving, layer_bytes);
  EXPECT_LT(loading, layer_bytes);
  // The meter works: a copy of everything shows.
  EXPECT_GT(rise_during([&] {
              std::vector<std::vector<float>> all;
              for (const CanonicalTensor& tensor : canonical_tensors(stages)) {
                for (StateKind kind : kSavedStates) all.push_back(state.read(kind, tensor));
              }
            }),
            model_bytes / 2);
}

}  // namespace
}  // namespace phasor::run
