// Checkpoint files: how they begin, what those of a run are called, and which of them stay.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace phasor::run {

// Whether the file begins as HDF5's do. Nothing is read of what is no regular file.
bool is_checkpoint(const std::string& path);

class CheckpointFiles {
 public:
  // `path` is the file that a run ends with: "runs/a/checkpoint.h5". Those of single steps stand beside it. Of these,
  // the `keep` newest stay, all where it is 0.
  CheckpointFiles(std::string path, int keep) : path_(std::move(path)), keep_(keep) {}

  const std::string& path() const { return path_; }
  // Eight digits at least, so that names sort as steps do: "runs/a/checkpoint-00000020.h5".
  std::string of_step(std::int64_t step) const;
  std::string best() const;  // "runs/a/checkpoint-best.h5"

  // Steps of which there are files, in order.
  std::vector<std::int64_t> steps() const;

  // Gives the file path(), which is of the step, the name of_step() as well, and the file of_step() that of best().
  void make_numbered(std::int64_t step) const;
  void make_best(std::int64_t step) const;

  // Removes the files of steps before `newest` that are not among the newest, but for that of step `best`. Later ones,
  // of a run that got further, stay and do not count. What cannot be removed stays, too.
  void retain(std::int64_t newest, std::int64_t best) const;

 private:
  std::string path_;
  int keep_;
};

}  // namespace phasor::run
