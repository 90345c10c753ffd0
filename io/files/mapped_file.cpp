#include "io/files/mapped_file.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/base/error.h"

namespace phasor::io {

namespace {

struct Descriptor {
  int number = -1;
  ~Descriptor() {
    if (number >= 0) close(number);
  }
};

}  // namespace

MappedFile::MappedFile(std::string_view subject, const std::string& path) {
  // A pipe that nobody writes to would be waited for.
  const Descriptor file{open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  check(file.number >= 0 || errno != ENOENT, "{}: '{}' does not exist", subject, path);
  check(file.number >= 0, "{}: '{}' cannot be opened: {}", subject, path, std::strerror(errno));
  struct stat status {};
  check(fstat(file.number, &status) == 0, "{}: '{}' cannot be read: {}", subject, path, std::strerror(errno));
  check(!S_ISDIR(status.st_mode), "{}: '{}' is a folder, expected a file", subject, path);
  check(S_ISREG(status.st_mode), "{}: '{}' is no plain file, which alone can be read here and there", subject, path);
  size_ = static_cast<std::size_t>(status.st_size);
  if (size_ == 0) return;  // nothing cannot be mapped
  void* memory = mmap(nullptr, size_, PROT_READ, MAP_SHARED, file.number, 0);
  check(memory != MAP_FAILED, "{}: '{}' cannot be mapped into memory: {}", subject, path, std::strerror(errno));
  data_ = static_cast<const std::byte*>(memory);
}

MappedFile::~MappedFile() {
  if (size_ > 0) munmap(const_cast<std::byte*>(data_), size_);
}

}  // namespace phasor::io
