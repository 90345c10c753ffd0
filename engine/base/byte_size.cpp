#include "engine/base/byte_size.h"

#include <array>
#include <charconv>
#include <cmath>
#include <string_view>

#include "engine/base/error.h"

namespace phasor {

namespace {

struct Unit {
  std::string_view name;
  std::int64_t bytes;
};
constexpr std::array kUnits{Unit{"TiB", std::int64_t{1} << 40}, Unit{"GiB", 1 << 30}, Unit{"MiB", 1 << 20},
                            Unit{"KiB", 1 << 10}, Unit{"B", 1}};

}  // namespace

std::optional<ByteSize> parse_byte_size(const std::string& text) {
  double number = 0;
  const char* const end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, number);
  if (parsed.ec != std::errc{} || !(number >= 0)) return std::nullopt;
  std::string_view unit(parsed.ptr, static_cast<std::size_t>(end - parsed.ptr));
  if (unit.starts_with(' ')) unit.remove_prefix(1);
  for (const auto& [name, bytes] : kUnits) {
    if (unit != name && !(unit.empty() && bytes == 1)) continue;
    const double size = number * static_cast<double>(bytes);
    if (size > 0x1p62 || (bytes == 1 && size != std::floor(size))) return std::nullopt;
    return ByteSize{static_cast<std::int64_t>(size)};
  }
  return std::nullopt;
}

std::string to_string(ByteSize size) {
  if (size.bytes == 0) return "0";
  for (const auto& [name, bytes] : kUnits) {
    if (size.bytes % bytes == 0) return fmt::format("{}{}", size.bytes / bytes, name);
  }
  return {};
}

void check_addressable(double bytes, const std::string& arithmetic) {
  constexpr double kMostBytes = 0x1p56;  // the half of 57 bits that is a process's own
  check(bytes <= kMostBytes, "{} = {:.3g} bytes, more than the {:.3g} that a process can address", arithmetic, bytes,
        kMostBytes);
}

}  // namespace phasor
