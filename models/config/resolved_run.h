// A run with nothing left open: what the engine, the data and the files are told. It follows from what the user wrote
// (RunConfig) and from the machine; models/plan/resolve_run.h makes it.
#pragma once

#include <optional>
#include <string>

#include "models/config/run_config.h"

namespace phasor::run {

// Where remote buffers live.
struct StoreOptions {
  bool in_files = false;
  std::string path;  // of their folder
  // What predictions reckon with instead of what is measured.
  std::optional<double> bytes_per_second, latency_seconds;
};

struct ResolvedRun {
  architecture::ModelConfig model;  // of the size of its vocabulary
  std::string model_from;           // empty: from no folder
  std::int64_t seed = 0;
  DataConfig data;          // cache: a folder; empty: nothing is kept
  TrainingConfig training;  // its number of steps, where it is 0, follows from the data
  ExecutionOptions execution;
  std::int64_t micro_batch_size = 1;     // rows of model.sequence_length tokens
  std::int64_t samples_of_sequence = 1;  // at most, in as many tokens; 1: each sample has a row of its own
  std::int64_t phased_table_slices = 1;  // what table_slices are, or would be, in phased execution
  std::int64_t table_slices = 1;  // of the table of words; 1 in monolithic execution, which holds all of it anyway
  // What the user has left to the program, and the passes of a trained model may lessen where the device has no room:
  // the rows of the table that it holds, how far transfers run ahead, and weights that are packed.
  bool slices_open = false, depth_open = false, loops_open = false, packing_open = false;
  float loss_scaling = 1;
  StoreOptions store;
  std::optional<std::int64_t> host_memory;  // that the process may take; nothing: what the machine has free
  CheckpointConfig checkpoint;
  int deflate_level = 0;  // 1 to 9; 0: none
  WatchConfig watch;      // trace: steps to record, those of the report included

  bool packs() const { return samples_of_sequence > 1; }
  // Packed samples share one long row, so that little is left at its end.
  layers::MicroBatch micro_batch() const {
    if (!packs()) return micro_batch_size;
    return {1, micro_batch_size * samples_of_sequence, micro_batch_size};
  }
  int all_threads() const { return execution.replicas * execution.pipeline.devices * execution.threads_per_replica; }
  std::int64_t micro_batches() const { return std::int64_t{execution.replicas} * execution.accumulation; }
};

// The run with defaults for all that is left open, whatever the machine has room for: activations are kept, tables are
// whole, transfers run ahead as the store likes it. Throws UserError, showing the arithmetic, where settings contradict
// each other.
ResolvedRun settle_defaults(const RunConfig& config);

}  // namespace phasor::run
