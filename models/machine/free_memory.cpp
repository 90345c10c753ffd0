#include "models/machine/free_memory.h"

#include <algorithm>
#include <fstream>
#include <sstream>

namespace phasor::run {

namespace {

namespace fs = std::filesystem;

// The files of a control group that tell of memory, by the version of the interface.
struct GroupFiles {
  const char *mount, *limit, *usage, *droppable;  // droppable: the row of memory.stat
};
constexpr GroupFiles kVersion1{"sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes",
                               "total_inactive_file"};
constexpr GroupFiles kVersion2{"sys/fs/cgroup", "memory.max", "memory.current", "inactive_file"};

// The number at the beginning of a file; nothing where there is none, as in "max".
std::optional<std::int64_t> number_in(const fs::path& path) {
  std::ifstream file(path);
  std::int64_t number = 0;
  if (!(file >> number)) return {};
  return number;
}

// The number behind `name` at the beginning of a line.
std::optional<std::int64_t> number_behind(const fs::path& path, const std::string& name) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string word;
    std::int64_t number = 0;
    if (words >> word >> number && word == name) return number;
  }
  return {};
}

void take_least(std::optional<FreeMemory>& least, std::int64_t bytes, const std::string& limit) {
  bytes = std::max<std::int64_t>(0, bytes);
  if (!least || bytes < least->bytes) least = {bytes, limit};
}

// The group and all above it have to have room. What of its path a container does not show is not there.
void take_groups(std::optional<FreeMemory>& least, const fs::path& root, const GroupFiles& files, fs::path group) {
  while (true) {
    const fs::path folder = root / files.mount / group.relative_path();
    const auto limit = number_in(folder / files.limit), usage = number_in(folder / files.usage);
    if (limit && usage) {
      const std::int64_t droppable = number_behind(folder / "memory.stat", files.droppable).value_or(0);
      take_least(least, *limit - (*usage - std::min(*usage, droppable)), "control group " + group.string());
    }
    if (!group.has_relative_path()) return;
    group = group.parent_path();
  }
}

}  // namespace

std::optional<FreeMemory> free_memory(const fs::path& root) {
  std::optional<FreeMemory> least;
  if (const auto kibibytes = number_behind(root / "proc/meminfo", "MemAvailable:")) {
    take_least(least, *kibibytes * 1024, "the machine");
  }
  // Lines as "4:memory:/user.slice", or "0::/user.slice" for version 2.
  std::ifstream groups(root / "proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (first == line.npos || second == line.npos) continue;
    const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
    const fs::path group = line.substr(second + 1);
    if (controllers == ",,") take_groups(least, root, kVersion2, group);
    if (controllers.find(",memory,") != controllers.npos) take_groups(least, root, kVersion1, group);
  }
  return least;
}

fs::path existing_folder(const fs::path& folder) {
  fs::path path = fs::absolute(folder).lexically_normal();
  while (!fs::is_directory(path) && path.has_relative_path()) path = path.parent_path();
  return path;
}

std::optional<std::int64_t> free_disk(const fs::path& folder) {
  std::error_code error;
  const fs::space_info space = fs::space(existing_folder(folder), error);
  if (error) return {};
  return static_cast<std::int64_t>(space.available);
}

}  // namespace phasor::run
