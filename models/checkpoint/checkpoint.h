// The whole state of a training run in one HDF5 file: whole tensors under canonical names, a group for each of
// kSavedStates, without a trace of replicas, shards or phases. io/README.md describes the file.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "engine/train/state.h"
#include "io/hdf5/hdf5.h"
#include "io/listener/listener.h"
#include "models/checkpoint/position.h"

namespace phasor::run {

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

// Sets the state from the file, reading it once. A checkpoint of another model, a file that is damaged, and a value
// that is not finite, is a UserError that names file and tensor. The first shows before anything is set; after the
// others the state holds parts of the file and has to be given up, as a run does that cannot start.
void load_checkpoint(const std::string& path, const Stages& stages, ModelState& state,
                     io::Listener& listener = io::silent());

// The weights alone; moments keep their values.
void load_weights(const std::string& path, const Stages& stages, ModelState& state,
                  io::Listener& listener = io::silent());

}  // namespace phasor::run
