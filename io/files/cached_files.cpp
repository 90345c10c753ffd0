#include "io/files/cached_files.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fmt/format.h>
#include <optional>
#include <vector>

#include "io/files/content_sum.h"

namespace phasor::io {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kSumDigits = 32;

// Removes the characters at the beginning of `text` that belong to `set`, and returns them.
std::string_view take_all_of(std::string_view set, std::string_view& text) {
  const std::string_view taken = text.substr(0, text.find_first_not_of(set));
  text.remove_prefix(taken.size());
  return taken;
}

bool take(std::string_view prefix, std::string_view& text) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

struct CachedName {
  std::string_view version;  // the first names had none
  bool temporary = false;
};

std::optional<CachedName> parse_name(const CachedKind& kind, std::string_view name) {
  CachedName parsed;
  if (!take(kind.kind, name) || !take("-", name)) return {};
  if (take("v", name)) {
    parsed.version = take_all_of("0123456789", name);
    if (parsed.version.empty() || !take("-", name)) return {};
  }
  if (take_all_of("0123456789abcdef", name).size() != kSumDigits) return {};
  if (!take(".", name) || !take(kind.ending, name)) return {};
  if (name.empty()) return parsed;
  parsed.temporary = true;
  const bool numbered = take(".", name) && !take_all_of("0123456789", name).empty();
  return numbered && name == ".tmp" ? std::optional(parsed) : std::nullopt;
}

}  // namespace

std::string cached_path(const CachedKind& kind, const std::string& folder, std::string_view inputs) {
  ContentSum sum;
  sum.add(std::as_bytes(std::span(inputs)));
  return fmt::format("{}/{}-v{}-{}.{}", folder, kind.kind, kind.version, sum.text(), kind.ending);
}

void mark_used(const std::string& path) {
  std::error_code error;  // a folder that may only be read is a cache, too
  fs::last_write_time(path, fs::file_time_type::clock::now(), error);
}

void clean_cache(const CachedKind& kind, const std::string& folder) {
  constexpr std::chrono::hours kAbandoned{24};
  const std::string version = std::to_string(kind.version);
  std::vector<std::pair<fs::file_time_type, fs::path>> kept;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; entry != end; entry.increment(error)) {
    const fs::path& path = entry->path();
    const std::string name = path.filename();
    const std::optional<CachedName> ours = parse_name(kind, name);
    if (!ours) continue;
    const fs::file_time_type used = entry->last_write_time(error);
    const bool abandoned = fs::file_time_type::clock::now() - used > kAbandoned;
    if (ours->temporary ? abandoned : ours->version != version) {
      fs::remove(path, error);
    } else if (!ours->temporary) {
      kept.emplace_back(used, path);
    }
  }
  std::ranges::sort(kept);
  for (std::ptrdiff_t i = 0; i < std::ssize(kept) - kind.most; ++i) fs::remove(kept[i].second, error);
}

}  // namespace phasor::io
