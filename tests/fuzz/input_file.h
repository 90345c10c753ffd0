// The file that an input is read from: in memory, under a path of this process.
#pragma once

#include <string>
#include <string_view>
#include <sys/mman.h>
#include <unistd.h>

#include "engine/base/error.h"

namespace phasor::fuzz {

class InputFile {
 public:
  InputFile() : descriptor_(memfd_create("input", MFD_CLOEXEC)), path_(fmt::format("/proc/self/fd/{}", descriptor_)) {
    ensure(descriptor_ >= 0, "fuzz: no file in memory can be made");
  }
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;
  ~InputFile() { close(descriptor_); }

  const std::string& path() const { return path_; }

  // Replaces the content.
  void set(std::string_view bytes) {
    const bool written = ftruncate(descriptor_, 0) == 0 &&
                         pwrite(descriptor_, bytes.data(), bytes.size(), 0) == static_cast<ssize_t>(bytes.size());
    ensure(written, "fuzz: {} bytes cannot be written to '{}'", bytes.size(), path_);
  }

 private:
  int descriptor_;
  std::string path_;
};

}  // namespace phasor::fuzz
