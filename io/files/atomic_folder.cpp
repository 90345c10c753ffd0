#include "io/files/atomic_folder.h"

#include <filesystem>
#include <unistd.h>

#include "engine/base/error.h"
#include "io/files/atomic_file.h"

namespace phasor::io {

namespace {

namespace fs = std::filesystem;

void rename_folder(const fs::path& from, const fs::path& to) {
  std::error_code error;
  fs::rename(from, to, error);
  check(!error, "folder: '{}' cannot be renamed to '{}': {}", from.string(), to.string(), error.message());
}

// Moves `made` to `path`, where a folder may stand.
void put_in_place(const fs::path& made, const fs::path& path) {
  if (!fs::exists(path)) return rename_folder(made, path);
  const fs::path old = fmt::format("{}.{}.old", path.string(), getpid());
  rename_folder(path, old);
  try {
    rename_folder(made, path);
  } catch (...) {
    rename_folder(old, path);
    throw;
  }
  std::error_code ignored;  // the new folder stands; what is left of the old one does no harm
  fs::remove_all(old, ignored);
}

}  // namespace

void write_folder_atomically(const std::string& name, const std::function<void(const std::string&)>& write) {
  fs::path path = fs::path(name).lexically_normal();
  if (!path.has_filename()) path = path.parent_path();  // "folder/"
  const fs::path temporary = fmt::format("{}.{}.tmp", path.string(), getpid());
  std::error_code error;
  if (path.has_parent_path()) fs::create_directories(path.parent_path(), error);
  if (!error) fs::create_directory(temporary, error);
  check(!error, "folder: '{}' cannot be made: {}", temporary.string(), error.message());
  try {
    write(temporary.string());
    for (const auto& entry : fs::directory_iterator(temporary)) bring_to_disk(entry.path());
    bring_to_disk(temporary);
    put_in_place(temporary, path);
  } catch (...) {
    fs::remove_all(temporary, error);
    throw;
  }
  bring_to_disk(path.has_parent_path() ? path.parent_path().string() : ".");
}

}  // namespace phasor::io
