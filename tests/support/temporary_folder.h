// A folder for the files of one test, removed with everything in it at the end.
#pragma once

#include <filesystem>
#include <stdlib.h>
#include <string>
#include <unistd.h>

#include "engine/base/error.h"

namespace phasor::test {

enum class Medium { disk, memory };

class TemporaryFolder {
 public:
  // In memory, where the system has such a place, tests of many runs do not wait for a disk.
  explicit TemporaryFolder(Medium medium = Medium::disk) {
    const std::filesystem::path shared = "/dev/shm";
    const bool in_memory = medium == Medium::memory && access(shared.c_str(), W_OK) == 0;
    path_ = ((in_memory ? shared : std::filesystem::temp_directory_path()) / "phasor.XXXXXX").string();
    ensure(mkdtemp(path_.data()) != nullptr, "test: '{}' cannot be made", path_);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }

  const std::string& path() const { return path_; }
  std::string file(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

}  // namespace phasor::test
