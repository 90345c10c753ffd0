// A number of bytes as people write it: "512MiB".
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace phasor {

struct ByteSize {
  std::int64_t bytes = 0;
  friend bool operator==(const ByteSize&, const ByteSize&) = default;
};

// A number, which may have decimals, and one of B, KiB, MiB, GiB, TiB; a whole number alone means bytes. Nothing where
// `text` is none of these, negative, or too large.
std::optional<ByteSize> parse_byte_size(const std::string& text);

// The largest unit that gives a whole number: "512MiB". Parses back to the same.
std::string to_string(ByteSize size);

// Throws UserError with `arithmetic`, what the number is of, where no process can address so many.
void check_addressable(double bytes, const std::string& arithmetic);

constexpr double mebibytes(std::int64_t bytes) { return static_cast<double>(bytes) / (1 << 20); }

}  // namespace phasor
