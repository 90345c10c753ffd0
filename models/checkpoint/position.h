// Where a training run stands, as the attributes of its checkpoint tell it. io/README.md describes the file.
#pragma once

#include <cstdint>
#include <string>

#include "io/hdf5/hdf5.h"

namespace phasor::run {

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

// Makes a new file a checkpoint of that position, whatever `position` has for a program: it is this one.
void write_position(io::Hdf5File& file, const RunPosition& position);

// What a checkpoint says of itself. A file that is no checkpoint, or whose sum tells damage, is a UserError.
RunPosition read_position(const std::string& path);

// Opens a file that says of itself that it is a checkpoint this program can read; any other is a UserError.
io::Hdf5File open_checkpoint(const std::string& path);

// Whether every tensor of an open checkpoint must have a sum: the first version of the format had none.
bool has_sums(const io::Hdf5File& checkpoint);

}  // namespace phasor::run
