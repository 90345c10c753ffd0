#include "bench/resident_memory.h"

#include <fstream>
#include <string>

namespace phasor::bench {

// From Linux's table of the process. getrusage() would count what the process was before it became this program.
std::int64_t resident_peak_bytes() {
  std::ifstream status("/proc/self/status");
  for (std::string key; status >> key;) {
    std::int64_t kibibytes = 0;
    if (key == "VmHWM:" && status >> kibibytes) return kibibytes * 1024;
    std::getline(status, key);
  }
  return 0;
}

}  // namespace phasor::bench
