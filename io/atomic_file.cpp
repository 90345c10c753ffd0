#include "io/atomic_file.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <unistd.h>

#include "engine/base/error.h"

namespace phasor::io {

void bring_to_disk(const std::string& path) {
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  check(descriptor >= 0, "file: '{}' cannot be opened: {}", path, std::strerror(errno));
  const bool done = fsync(descriptor) == 0;
  const int error = errno;
  close(descriptor);
  check(done, "file: '{}' cannot be brought to the disk: {}", path, std::strerror(error));
}

void write_atomically(const std::string& path, const std::function<void(const std::string&)>& write) {
  const std::string temporary = fmt::format("{}.{}.tmp", path, getpid());
  try {
    write(temporary);
    bring_to_disk(temporary);
    check(std::rename(temporary.c_str(), path.c_str()) == 0, "file: '{}' cannot be written: {}", path,
          std::strerror(errno));
  } catch (...) {
    unlink(temporary.c_str());
    throw;
  }
  const std::string directory = std::filesystem::path(path).parent_path();
  bring_to_disk(directory.empty() ? "." : directory);
}

}  // namespace phasor::io
