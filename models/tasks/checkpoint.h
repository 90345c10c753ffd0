// The whole state of a training run in one HDF5 file: whole tensors under canonical names, without a trace of replicas,
// shards or phases. io/README.md describes the file.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "engine/train/state.h"
#include "io/hdf5.h"
#include "io/progress.h"

namespace phasor::tasks {

// Where a run stands, and what it must go on with to end with the bits of one that was not interrupted.
struct RunPosition {
  std::int64_t step = 0;     // optimizer steps done; 0: nothing but weights to start from
  std::int64_t samples = 0;  // taken from the data order
  std::int64_t seed = 0;
  std::string config;  // resolved, YAML

  // Not known (0, empty) of a checkpoint that did not come from training.
  std::int64_t global_batch_size = 0;
  std::int64_t data_samples = 0;  // of an epoch
  std::string data;               // fingerprint of the samples
  double loss_scale = 1;
  std::string program;  // that wrote the file, with its version and HDF5's

  std::int64_t epoch() const { return data_samples > 0 ? samples / data_samples : 0; }
};

// The groups of the file, in the order of kSavedStates.
inline constexpr const char* kCheckpointGroups[] = {"weight", "moment1", "moment2"};

// Tensors of all groups together.
std::int64_t count_saved_tensors(const Stages& stages);

// Who wants to know how far a save has come. Called by the thread that saves.
struct SaveListener {
  std::function<void()> tensor_saved = [] {};
  std::function<void()> state_read = [] {};  // it is needed no longer; the file is still to be brought to the disk
};

// Replaces a file of that name when the new one is complete on the disk. Holds a piece of one tensor in memory at a
// time, with compression the tensor.
void save_checkpoint(const std::string& path, const Stages& stages, const ModelState& state,
                     const RunPosition& position, const io::Hdf5Storage& storage = {},
                     const SaveListener& listener = {});

// What a checkpoint says of itself. A file that is no checkpoint is a UserError.
RunPosition read_position(const std::string& path);

// Sets the state from the file, reading it once. A checkpoint of another model, and a file that is damaged, is a
// UserError that names file and tensor. The former shows before anything is set; after the latter the state holds parts
// of the file and has to be given up, as a run does that cannot start.
void load_checkpoint(const std::string& path, const Stages& stages, ModelState& state,
                     io::ProgressStyle style = io::ProgressStyle::Quiet);

// The weights alone; moments keep their values.
void load_weights(const std::string& path, const Stages& stages, ModelState& state,
                  io::ProgressStyle style = io::ProgressStyle::Quiet);

// Opens a file that says of itself that it is a checkpoint this program can read; any other is a UserError.
io::Hdf5File open_checkpoint(const std::string& path);

}  // namespace phasor::tasks
