#include "io/files/lock_file.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/base/error.h"

namespace phasor::io {

namespace {

// Who holds a file, as it says: "process 4711".
std::string holder(int descriptor) {
  char text[32] = {};
  const ssize_t length = pread(descriptor, text, sizeof(text) - 1, 0);
  return length > 0 ? "process " + std::string(text, static_cast<std::size_t>(length)) : "another process";
}

// Whether `path` is the open file still: who held it before may have removed it.
bool is_in_place(const std::string& path, int descriptor) {
  struct stat opened {
  }, named{};
  return fstat(descriptor, &opened) == 0 && stat(path.c_str(), &named) == 0 && opened.st_ino == named.st_ino &&
         opened.st_dev == named.st_dev;
}

}  // namespace

LockFile::LockFile(std::string path, const std::string& what) : path_(std::move(path)) {
  for (;;) {
    descriptor_ = open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    check(descriptor_ >= 0, "{} cannot be claimed: '{}': {}", what, path_, std::strerror(errno));
    if (flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
      const int error = errno;
      const std::string other = holder(descriptor_);
      close(descriptor_);
      check(error == EWOULDBLOCK, "{} cannot be claimed: '{}': {}", what, path_, std::strerror(error));
      check(false, "{} is in use by {}. Wait for its end, or choose another place", what, other);
    }
    if (is_in_place(path_, descriptor_)) break;
    close(descriptor_);
  }
  const std::string mine = fmt::format("{}", getpid());
  // What it says is for people alone.
  if (ftruncate(descriptor_, 0) == 0) [[maybe_unused]]
    const ssize_t written = pwrite(descriptor_, mine.data(), mine.size(), 0);
}

LockFile::~LockFile() {
  unlink(path_.c_str());  // first, while nobody else can hold it
  close(descriptor_);
}

}  // namespace phasor::io
