// What the machine has free, and lets this process have.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace phasor::run {

struct FreeMemory {
  std::int64_t bytes = 0;
  std::string limit;  // what sets it: "the machine", or the control group by its name
};

// The least of what the machine has (MemAvailable of /proc/meminfo) and of what each control group above this process,
// of version 1 or 2, has left of its limit; pages of files that a group could drop at once count as left. `root` is
// the file system, but for tests. Nothing where the system does not tell.
std::optional<FreeMemory> free_memory(const std::filesystem::path& root = "/");

// For new files in the folder, or the nearest one above that is there already. Nothing where the system does not tell.
std::optional<std::int64_t> free_disk(const std::filesystem::path& folder);

// The folder nearest to `folder` that is there already.
std::filesystem::path existing_folder(const std::filesystem::path& folder);

}  // namespace phasor::run
