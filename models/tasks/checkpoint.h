// The whole state of a training run in one HDF5 file: whole tensors under canonical names, without a trace of replicas,
// shards or phases.
//
//   /weight/NAME, /moment1/NAME, /moment2/NAME   float32, NAME as canonical_tensors() gives it
//   attributes of the file: format, version, step (optimizer steps done), samples (position in the data order), seed,
//   config (YAML)
#pragma once

#include <cstdint>
#include <string>

#include "engine/train/state.h"

namespace phasor::tasks {

struct RunPosition {
  std::int64_t step = 0;     // optimizer steps done
  std::int64_t samples = 0;  // taken from the data order
  std::int64_t seed = 0;
  std::string config;  // resolved, YAML
};

// Replaces a file of that name when the new one is complete on the disk.
void save_checkpoint(const std::string& path, const Stages& stages, const ModelState& state,
                     const RunPosition& position);

// What a checkpoint says of itself. A file that is no checkpoint is a UserError.
RunPosition read_position(const std::string& path);

// Sets the state from the file. A checkpoint of another model is a UserError that names the tensor and the two facts,
// and leaves the state as it was.
void load_checkpoint(const std::string& path, const Stages& stages, ModelState& state);

}  // namespace phasor::tasks
