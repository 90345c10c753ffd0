#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <unistd.h>
#include <vector>

#include "engine/remote/region_bounds.h"
#include "engine/remote/store.h"

namespace phasor {

namespace {

struct OpenFile {
  RegionBounds bounds;
  int descriptor = -1;
};

// A new file in `directory` that has no name: nobody else can open it, and it goes with its descriptor. -1 and errno
// where the file system refuses.
int open_nameless(const std::string& directory) {
  const int descriptor = open(directory.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (descriptor >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL)) return descriptor;
  // This file system gives every file a name at first.
  std::string name = directory + "/phasor-XXXXXX";
  const int named = mkostemp(name.data(), O_CLOEXEC);
  if (named >= 0) unlink(name.c_str());
  return named;
}

class FileStore : public Store {
 public:
  explicit FileStore(std::string directory) : directory_(std::move(directory)) {
    std::error_code error;
    std::filesystem::create_directories(directory_, error);
    check(!error, "remote: directory '{}' cannot be made: {}", directory_, error.message());
  }
  FileStore(const FileStore&) = delete;
  FileStore& operator=(const FileStore&) = delete;
  ~FileStore() override {
    for (const OpenFile& file : files_) close(file.descriptor);
  }

  Region create(const std::string& name, std::int64_t bytes) override {
    const OpenFile file{.bounds = {name, bytes}, .descriptor = open_nameless(directory_)};
    check(file.descriptor >= 0, "remote: a file for '{}' cannot be made in '{}': {}", name, directory_,
          std::strerror(errno));
    files_.push_back(file);
    check(ftruncate(file.descriptor, bytes) == 0, "remote: the file of '{}' in '{}' cannot be made {} bytes long: {}",
          name, directory_, bytes, std::strerror(errno));
    return static_cast<Region>(files_.size()) - 1;
  }
  void read(Region region, std::int64_t offset, std::span<std::byte> to) const override {
    transfer_all(region, "read", pread, offset, to);
  }
  void write(Region region, std::int64_t offset, std::span<const std::byte> from) override {
    transfer_all(region, "written", pwrite, offset, from);
  }

 private:
  // Calls pread or pwrite until all bytes have moved.
  template <class Transfer, class Byte>
  void transfer_all(Region region, const char* verb, Transfer transfer, std::int64_t offset,
                    std::span<Byte> bytes) const {
    const OpenFile& file = files_[region];
    file.bounds.ensure_inside(offset, bytes.size());
    while (!bytes.empty()) {
      const ssize_t moved = transfer(file.descriptor, bytes.data(), bytes.size(), offset);
      if (moved < 0 && errno == EINTR) continue;
      check(moved > 0, "remote: the file of '{}' in '{}' could not be {} at byte {}: {}", file.bounds.name, directory_,
            verb, offset, moved < 0 ? std::strerror(errno) : "end of file");
      offset += moved;
      bytes = bytes.subspan(static_cast<std::size_t>(moved));
    }
  }

  std::string directory_;
  std::vector<OpenFile> files_;
};

}  // namespace

std::unique_ptr<Store> file_store(const std::string& directory) { return std::make_unique<FileStore>(directory); }

}  // namespace phasor
