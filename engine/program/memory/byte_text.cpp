#include "engine/program/memory/byte_text.h"

#include <fmt/format.h>

namespace phasor {

std::string byte_text(std::int64_t bytes) {
  constexpr std::int64_t kKibibyte = 1 << 10, kMebibyte = 1 << 20;
  if (bytes < kKibibyte) return fmt::format("{} B", bytes);
  const auto size = static_cast<double>(bytes);
  return bytes < kMebibyte ? fmt::format("{:.1f} KiB", size / kKibibyte) : fmt::format("{:.1f} MiB", size / kMebibyte);
}

}  // namespace phasor
