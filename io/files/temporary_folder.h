// A folder for files that are of use for a while.
#pragma once

#include <string>

namespace phasor::io {

class TemporaryFolder {
 public:
  // A new one, of this user alone, where the system keeps temporary files. A UserError where it cannot be made.
  TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  // Removes it with all it holds.
  ~TemporaryFolder();

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace phasor::io
