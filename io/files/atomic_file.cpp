#include "io/files/atomic_file.h"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <unistd.h>

#include "engine/base/error.h"

namespace phasor::io {

namespace {

constexpr const char* kTemporary = ".tmp";

std::string temporary_name(const std::string& path) { return fmt::format("{}.{}{}", path, getpid(), kTemporary); }

std::string directory_of_file(const std::string& path) {
  const std::string directory = std::filesystem::path(path).parent_path();
  return directory.empty() ? "." : directory;
}

// The process that a temporary file's name tells of, or 0 if it is no such name.
pid_t writer_of(const std::string& name) {
  if (!name.ends_with(kTemporary)) return 0;
  const std::size_t end = name.size() - std::strlen(kTemporary), dot = name.rfind('.', end - 1);
  if (end == 0 || dot == name.npos) return 0;
  const std::string digits = name.substr(dot + 1, end - dot - 1);
  const bool number = !digits.empty() && digits.size() < 10 &&
                      std::ranges::all_of(digits, [](unsigned char c) { return std::isdigit(c) != 0; });
  return number ? static_cast<pid_t>(std::stol(digits)) : 0;
}

}  // namespace

void bring_to_disk(const std::string& path) {
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  check(descriptor >= 0, "file: '{}' cannot be opened: {}", path, std::strerror(errno));
  const bool done = fsync(descriptor) == 0;
  const int error = errno;
  close(descriptor);
  check(done, "file: '{}' cannot be brought to the disk: {}", path, std::strerror(error));
}

void write_atomically(const std::string& path, const std::function<void(const std::string&)>& write) {
  const std::string temporary = temporary_name(path);
  try {
    write(temporary);
    bring_to_disk(temporary);
    check(std::rename(temporary.c_str(), path.c_str()) == 0, "file: '{}' cannot be written: {}", path,
          std::strerror(errno));
  } catch (...) {
    unlink(temporary.c_str());
    throw;
  }
  bring_to_disk(directory_of_file(path));
}

void write_file_atomically(const std::string& path, std::string_view bytes) {
  write_atomically(path, [&](const std::string& temporary) {
    std::ofstream file(temporary, std::ios::binary);
    file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    file.close();
    check(file.good(), "file: '{}' cannot be written. Is the disk full?", path);
  });
}

void check_writable(const std::string& path) {
  std::error_code error;
  check(!std::filesystem::is_directory(path, error), "file: '{}' cannot be written: it is a folder", path);
  const std::string temporary = temporary_name(path);
  const int descriptor = open(temporary.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
  check(descriptor >= 0, "file: '{}' cannot be written: {}", path, std::strerror(errno));
  close(descriptor);
  unlink(temporary.c_str());
}

void name_atomically(const std::string& existing, const std::string& path) {
  const std::string temporary = temporary_name(path);
  unlink(temporary.c_str());
  if (link(existing.c_str(), temporary.c_str()) != 0) {
    write_atomically(path, [&](const std::string& copy) {
      std::error_code error;
      std::filesystem::copy_file(existing, copy, std::filesystem::copy_options::overwrite_existing, error);
      check(!error, "file: '{}' cannot be copied to '{}': {}", existing, copy, error.message());
    });
    return;
  }
  const bool renamed = std::rename(temporary.c_str(), path.c_str()) == 0;
  const int error = errno;
  unlink(temporary.c_str());  // still there where both were the same file already
  check(renamed, "file: '{}' cannot be written: {}", path, std::strerror(error));
  bring_to_disk(directory_of_file(path));
}

void remove_abandoned(const std::string& path) {
  const std::string stem = std::filesystem::path(path).stem();
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(directory_of_file(path), error)) {
    const std::string name = entry.path().filename();
    const pid_t writer = writer_of(name);
    if (writer == 0 || !name.starts_with(stem)) continue;
    // A number of our own is that of a process before us.
    if (writer == getpid() || (kill(writer, 0) != 0 && errno == ESRCH)) std::filesystem::remove(entry.path(), error);
  }
}

}  // namespace phasor::io
