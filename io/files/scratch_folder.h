// A folder for files that are of use for a while.
#pragma once

#include <string>

namespace phasor::io {

class ScratchFolder {
 public:
  // A new one, of this user alone, where the system keeps temporary files. A UserError where it cannot be made.
  ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  // Removes it with all it holds.
  ~ScratchFolder();

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace phasor::io
