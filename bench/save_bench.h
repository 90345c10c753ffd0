// How fast a checkpoint is written, and beside it the same bytes written plainly to the same folder. Plain writes go
// through the system's cache, which a checkpoint goes past where it can: it may well be faster.
#pragma once

#include <cstdint>
#include <string>

#include "models/config/resolved_run.h"

namespace phasor::bench {

struct SaveReport {
  std::int64_t bytes = 0;     // of the file
  double seconds = 0;         // from the state to a file on the disk; median
  double plain_seconds = 0;   // of writes of 1 MiB, one after the other, and fsync; median
  double verify_seconds = 0;  // to read it and compare it with the state
  // Of the state's fingerprint, made as beside training (models/checkpoint/fingerprinter.h); median.
  double fingerprint_seconds = 0;

  double times_plain_rate() const { return plain_seconds / seconds; }
};

// Saves the model's state, full of random numbers, `times` times in turns with plain writes; compares the first file
// with the state to the bit before anything counts. All files are gone at the end.
SaveReport bench_save(const run::ResolvedRun& config, const std::string& folder, int times);

}  // namespace phasor::bench
