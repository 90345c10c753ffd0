// Event files, read back by a reader of its own: of frames, and of messages by the rules of protocol buffers.
#pragma once

#include <bit>
#include <cstdint>
#include <gtest/gtest.h>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "io/trace/crc32c.h"

namespace phasor::test {

template <class Bits>
inline Bits little_endian(std::string_view bytes) {
  Bits value = 0;
  for (std::size_t i = sizeof(Bits); i-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[i]);
  return value;
}

// The messages of a file, whose checksums must be right.
inline std::vector<std::string> read_records(std::string_view file) {
  std::vector<std::string> records;
  while (!file.empty()) {
    const auto length = little_endian<std::uint64_t>(file);
    EXPECT_EQ(little_endian<std::uint32_t>(file.substr(8)), io::masked_crc32c(file.substr(0, 8)));
    const std::string_view message = file.substr(12, length);
    EXPECT_EQ(little_endian<std::uint32_t>(file.substr(12 + length)), io::masked_crc32c(message));
    records.emplace_back(message);
    file.remove_prefix(16 + length);
  }
  return records;
}

struct FieldValue {
  std::uint64_t number = 0;  // a varint, or the bits of a fixed field
  std::string bytes;
};

inline std::uint64_t read_varint(std::string_view& message) {
  std::uint64_t value = 0;
  for (int shift = 0;; shift += 7) {
    const auto byte = static_cast<unsigned char>(message[0]);
    message.remove_prefix(1);
    value |= static_cast<std::uint64_t>(byte & 0x7F) << shift;
    if (byte < 0x80) return value;
  }
}

inline std::multimap<std::uint64_t, FieldValue> parse(std::string_view message) {
  std::multimap<std::uint64_t, FieldValue> fields;
  while (!message.empty()) {
    const std::uint64_t key = read_varint(message);
    FieldValue value;
    std::size_t taken = 0;
    switch (key & 7) {
      case 0:
        value.number = read_varint(message);
        break;
      case 1:
        value.number = little_endian<std::uint64_t>(message);
        taken = 8;
        break;
      case 2:
        taken = read_varint(message);
        value.bytes = message.substr(0, taken);
        break;
      case 5:
        value.number = little_endian<std::uint32_t>(message);
        taken = 4;
        break;
      default:
        ADD_FAILURE() << "wire type " << (key & 7);
        return fields;
    }
    message.remove_prefix(taken);
    fields.emplace(key >> 3, value);
  }
  return fields;
}

inline const FieldValue& only(const std::multimap<std::uint64_t, FieldValue>& fields, std::uint64_t number) {
  EXPECT_EQ(fields.count(number), 1U) << number;
  return fields.find(number)->second;
}

// The scalars of an event, by tag.
inline std::map<std::string, float> scalars_of(std::string_view event) {
  std::map<std::string, float> scalars;
  const auto fields = parse(event);
  const auto summary = parse(only(fields, 5).bytes);
  for (const auto& [number, value] : summary) {
    EXPECT_EQ(number, 1U);
    const auto parts = parse(value.bytes);
    scalars[only(parts, 1).bytes] = std::bit_cast<float>(static_cast<std::uint32_t>(only(parts, 2).number));
  }
  return scalars;
}

}  // namespace phasor::test
