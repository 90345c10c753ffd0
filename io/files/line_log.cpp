#include "io/files/line_log.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <unistd.h>

#include "engine/base/error.h"
#include "io/files/atomic_file.h"
#include "io/files/text_file.h"

namespace phasor::io {

LineLog::LineLog(std::string path, std::span<const std::string> kept) : path_(std::move(path)) {
  std::string text;
  for (const std::string& line : kept) text += line + '\n';
  if (!std::filesystem::exists(path_) || read_file("log", path_) != text) write_file_atomically(path_, text);
  descriptor_ = open(path_.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  check(descriptor_ >= 0, "log: '{}' cannot be written: {}", path_, std::strerror(errno));
}

LineLog::~LineLog() { close(descriptor_); }

void LineLog::write(std::string_view line) {
  std::string text(line);
  text += '\n';
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t written = ::write(descriptor_, text.data() + done, text.size() - done);
    if (written < 0 && errno == EINTR) continue;
    check(written >= 0, "log: '{}' cannot be written: {}", path_, std::strerror(errno));
    done += static_cast<std::size_t>(written);
  }
}

void LineLog::bring_to_disk() {
  check(fdatasync(descriptor_) == 0 || errno == EINVAL, "log: '{}' cannot be brought to the disk: {}", path_,
        std::strerror(errno));
}

}  // namespace phasor::io
