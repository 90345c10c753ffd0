#include "models/config/cache_folder.h"

#include <cstdlib>

namespace phasor::run {

std::string default_cache_directory() {
  // The specification wants relative paths ignored.
  if (const char* cache = std::getenv("XDG_CACHE_HOME"); cache && *cache == '/') return std::string(cache) + "/phasor";
  if (const char* home = std::getenv("HOME"); home && *home) return std::string(home) + "/.cache/phasor";
  return "";
}

std::string cache_directory(const std::string& setting) {
  return setting == "auto" ? default_cache_directory() : setting == "none" ? "" : setting;
}

}  // namespace phasor::run
