// A folder for the files of one test, removed with everything in it at the end.
#pragma once

#include <filesystem>
#include <stdlib.h>
#include <string>

#include "engine/base/error.h"

namespace phasor::test {

class TemporaryFolder {
 public:
  TemporaryFolder() {
    path_ = (std::filesystem::temp_directory_path() / "phasor.XXXXXX").string();
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
