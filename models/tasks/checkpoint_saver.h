// Saves checkpoints while training goes on: a thread reads the state where it lies, in remote memory, and writes the
// file; the next step computes beside it and waits, if at all, before it changes the state for the first time.
#pragma once

#include <atomic>
#include <cstdint>
#include <semaphore>
#include <string>
#include <thread>

#include "models/tasks/checkpoint.h"
#include "models/tasks/checkpoint_files.h"

namespace phasor::tasks {

// One thread calls everything but wait_until_read(). While a save is under way nobody else may be in the HDF5 layer,
// nor open remote buffers.
class CheckpointSaver {
 public:
  // With `numbered` every save has a file of its step, and the newest has the name files.path() as well; otherwise each
  // replaces files.path(). The stages outlive the saver.
  CheckpointSaver(CheckpointFiles files, bool numbered, io::Hdf5Storage storage, const Stages& stages)
      : files_(std::move(files)), numbered_(numbered), storage_(storage), stages_(stages) {}
  ~CheckpointSaver() = default;  // waits
  CheckpointSaver(const CheckpointSaver&) = delete;
  CheckpointSaver& operator=(const CheckpointSaver&) = delete;

  // Starts to save `state`, which must not change until wait_until_read() returns, and lives until finish() does.
  // Nothing else is under way: finish() came before. The file of step `best` is kept.
  void start(const ModelState& state, RunPosition position, std::int64_t best);

  // Returns when the state may change. Any thread; cheap where nothing is under way.
  void wait_until_read() const { reading_.wait(true); }

  // Returns when nothing is under way: "", or that the last save failed, why, and what is there instead: "step 40 was
  // not saved: REASON; the checkpoint of step 20 is kept". Shows how far the save is.
  std::string finish(io::ProgressStyle style = io::ProgressStyle::Quiet);

  const CheckpointFiles& files() const { return files_; }

 private:
  void save(const ModelState& state, const RunPosition& position, std::int64_t best);
  void let_state_change();
  void show_rest(io::ProgressStyle style);

  CheckpointFiles files_;
  bool numbered_;
  io::Hdf5Storage storage_;
  const Stages& stages_;
  std::atomic<bool> reading_ = false;
  std::atomic<std::int64_t> tensors_ = 0;  // saved so far
  std::binary_semaphore ended_{0};         // after each save
  std::int64_t saving_ = -1, saved_ = -1;  // steps: under way, and the last that is on the disk
  std::string failure_;                    // the thread's until it is joined
  std::jthread thread_;                    // last: ends first
};

}  // namespace phasor::tasks
