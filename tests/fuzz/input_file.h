// The file that an input is read from.
#pragma once

#include <fstream>
#include <string>
#include <string_view>

#include "engine/base/error.h"
#include "tests/support/temporary_folder.h"

namespace phasor::fuzz {

class InputFile {
 public:
  const std::string& path() const { return path_; }

  // Replaces the content.
  void set(std::string_view bytes) {
    std::ofstream file(path_, std::ios::binary);
    file.write(bytes.data(), static_cast<std::streamsize>(bytes.size())).flush();
    ensure(file.good(), "fuzz: {} bytes cannot be written to '{}'", bytes.size(), path_);
  }

 private:
  test::TemporaryFolder folder_;
  std::string path_ = folder_.file("input");
};

}  // namespace phasor::fuzz
