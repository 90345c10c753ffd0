// Saves checkpoints while training goes on: a thread reads the state where it lies, in remote memory, and writes the
// file; the next step computes beside it and waits, if at all, before it changes the state for the first time.
#pragma once

#include <atomic>
#include <cstdint>
#include <semaphore>
#include <string>
#include <thread>

#include "models/checkpoint/checkpoint.h"
#include "models/checkpoint/files.h"

namespace phasor::run {

// One thread calls everything but wait_until_read(). While a save is under way nobody else may be in the HDF5 layer,
// nor open remote buffers.
class CheckpointSaver {
 public:
  // The stages outlive the saver.
  CheckpointSaver(CheckpointFiles files, io::Hdf5Storage storage, const Stages& stages)
      : files_(std::move(files)), storage_(storage), stages_(stages) {}
  ~CheckpointSaver() = default;  // waits
  CheckpointSaver(const CheckpointSaver&) = delete;
  CheckpointSaver& operator=(const CheckpointSaver&) = delete;

  // Throws UserError where files.path() could not be written, or there is no room for it: before the work that would
  // be lost.
  void check_can_save() const;

  // Ends what a run that was killed has left undone: temporary files, the name of the best, files that are too many.
  // `step` is the one that the run is at, `best` as in start().
  void tidy(std::int64_t step, std::int64_t best) const;

  // Starts to save `state`, which must not change until wait_until_read() returns, and lives until finish() does.
  // Nothing else is under way: finish() came before. A save replaces files.path(), and where it is `numbered` gives the
  // file the name of its step then: whenever it is killed, no file is of a later step than the one that a run goes on
  // from, whose log ends there. The file of step `best` is kept.
  void start(const ModelState& state, RunPosition position, bool numbered, std::int64_t best);

  // Returns when the state may change. Any thread; cheap where nothing is under way.
  void wait_until_read() const { reading_.wait(true); }

  // Returns when nothing is under way: "", or that the last save failed, why, and what is there instead: "step 40 was
  // not saved: REASON; the checkpoint of step 20 is kept", where it is there still; or that it is there, but without
  // the name of its step. Shows how far the save is.
  std::string finish(io::Listener& listener = io::silent());

  // The step that files.path() was last saved at, as far as finish() knows; -1: none.
  std::int64_t saved_step() const { return saved_; }

  const CheckpointFiles& files() const { return files_; }

 private:
  void save(const ModelState& state, const RunPosition& position, bool numbered, std::int64_t best);
  void let_state_change();
  void show_rest(io::Listener& listener);

  CheckpointFiles files_;
  io::Hdf5Storage storage_;
  const Stages& stages_;
  std::atomic<bool> reading_ = false;
  std::atomic<std::int64_t> tensors_ = 0;  // saved so far
  std::binary_semaphore ended_{0};         // after each save
  std::int64_t saving_ = -1, saved_ = -1;  // steps: under way, and the last that is on the disk
  bool is_whole_ = false;                  // what is under way, in files.path(): the thread's until it is joined
  std::string failure_;                    // likewise
  std::jthread thread_;                    // last: ends first
};

}  // namespace phasor::run
