// How fast a checkpoint is written, and the limit beside it: the same bytes written plainly to the same folder.
#pragma once

#include <cstdint>
#include <string>

#include "models/tasks/run_config.h"

namespace phasor::bench {

struct SaveReport {
  std::int64_t bytes = 0;     // of the file
  double seconds = 0;         // from the state to a file on the disk; median
  double plain_seconds = 0;   // of writes of 1 MiB, one after the other, and fsync; median
  double verify_seconds = 0;  // to read it and compare it with the state

  double share_of_limit() const { return plain_seconds / seconds; }
};

// Saves the model's state, full of random numbers, `times` times in turns with plain writes; compares the first file
// with the state to the bit before anything counts. All files are gone at the end.
SaveReport bench_save(const tasks::RunConfig& config, const std::string& folder, int times);

}  // namespace phasor::bench
