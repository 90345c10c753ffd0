#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <unistd.h>
#include <vector>

#include "engine/base/error.h"
#include "engine/remote/store.h"

namespace phasor {

namespace {

struct OpenFile {
  std::string path;
  int descriptor = -1;
};

// Calls pread or pwrite until all bytes have moved.
template <class Transfer, class Byte>
void transfer_all(const OpenFile& file, const char* verb, Transfer transfer, std::int64_t offset,
                  std::span<Byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t moved = transfer(file.descriptor, bytes.data(), bytes.size(), offset);
    if (moved < 0 && errno == EINTR) continue;
    check(moved > 0, "remote: '{}' could not be {} at byte {}: {}", file.path, verb, offset,
          moved < 0 ? std::strerror(errno) : "end of file");
    offset += moved;
    bytes = bytes.subspan(static_cast<std::size_t>(moved));
  }
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
    OpenFile file{.path = directory_ + "/" + name + ".remote"};
    file.descriptor = open(file.path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    check(file.descriptor >= 0, "remote: '{}' cannot be opened: {}", file.path, std::strerror(errno));
    files_.push_back(file);
    check(ftruncate(file.descriptor, bytes) == 0, "remote: '{}' cannot be made {} bytes long: {}", file.path, bytes,
          std::strerror(errno));
    return static_cast<Region>(files_.size()) - 1;
  }
  void read(Region region, std::int64_t offset, std::span<std::byte> to) const override {
    transfer_all(files_[region], "read", pread, offset, to);
  }
  void write(Region region, std::int64_t offset, std::span<const std::byte> from) override {
    transfer_all(files_[region], "written", pwrite, offset, from);
  }

 private:
  std::string directory_;
  std::vector<OpenFile> files_;
};

}  // namespace

std::unique_ptr<Store> file_store(const std::string& directory) { return std::make_unique<FileStore>(directory); }

}  // namespace phasor
