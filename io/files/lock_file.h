// A claim on a folder or a file that other processes heed.
#pragma once

#include <string>

namespace phasor::io {

// Holds the file `path`, which says whose it is, while the object lives: the operating system gives the claim back
// however the process ends. The file goes with the object; one that a dead process left is taken over.
class LockFile {
 public:
  // `what` is claimed: "the run in 'runs/a'". A UserError that names it and the process where another holds the file,
  // or where it cannot be made.
  LockFile(std::string path, const std::string& what);
  ~LockFile();
  LockFile(const LockFile&) = delete;
  LockFile& operator=(const LockFile&) = delete;

 private:
  std::string path_;
  int descriptor_ = -1;
};

}  // namespace phasor::io
