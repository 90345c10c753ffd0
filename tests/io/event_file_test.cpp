// Event files, read back by a reader of their own: of frames, and of messages by the rules of protocol buffers.
#include "io/event_file.h"

#include <bit>
#include <filesystem>
#include <gtest/gtest.h>
#include <map>

#include "engine/base/error.h"
#include "io/crc32c.h"
#include "io/text_file.h"
#include "tests/support/temporary_folder.h"

namespace phasor::io {
namespace {

using test::TemporaryFolder;

template <class Bits>
Bits little_endian(std::string_view bytes) {
  Bits value = 0;
  for (std::size_t i = sizeof(Bits); i-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[i]);
  return value;
}

// The messages of a file, whose checksums must be right.
std::vector<std::string> read_records(std::string_view file) {
  std::vector<std::string> records;
  while (!file.empty()) {
    const auto length = little_endian<std::uint64_t>(file);
    EXPECT_EQ(little_endian<std::uint32_t>(file.substr(8)), masked_crc32c(file.substr(0, 8)));
    const std::string_view message = file.substr(12, length);
    EXPECT_EQ(little_endian<std::uint32_t>(file.substr(12 + length)), masked_crc32c(message));
    records.emplace_back(message);
    file.remove_prefix(16 + length);
  }
  return records;
}

struct FieldValue {
  std::uint64_t number = 0;  // a varint, or the bits of a fixed field
  std::string bytes;
};

std::uint64_t read_varint(std::string_view& message) {
  std::uint64_t value = 0;
  for (int shift = 0;; shift += 7) {
    const auto byte = static_cast<unsigned char>(message[0]);
    message.remove_prefix(1);
    value |= static_cast<std::uint64_t>(byte & 0x7F) << shift;
    if (byte < 0x80) return value;
  }
}

std::multimap<std::uint64_t, FieldValue> parse(std::string_view message) {
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

const FieldValue& only(const std::multimap<std::uint64_t, FieldValue>& fields, std::uint64_t number) {
  EXPECT_EQ(fields.count(number), 1U) << number;
  return fields.find(number)->second;
}

TEST(EventFile, HoldsItsVersionTheStartAndTheScalars) {
  const TemporaryFolder folder;
  std::string path;
  {
    EventFile file(folder.path(), 300);
    path = file.path();
    file.write(301, {{"training/loss", 1.5F}, {"speed/stall_seconds", 0.0F}});
    EXPECT_EQ(read_records(read_file("test", path)).size(), 3U);  // at once, not when the file is closed
  }
  EXPECT_TRUE(std::filesystem::path(path).filename().string().starts_with("events.out.tfevents.1"));
  const std::vector<std::string> records = read_records(read_file("test", path));
  const auto version = parse(records[0]), start = parse(records[1]), event = parse(records[2]);
  EXPECT_EQ(only(version, 3).bytes, "brain.Event:2");
  EXPECT_EQ(only(start, 2).number, 301U);
  EXPECT_EQ(only(parse(only(start, 7).bytes), 1).number, 1U);
  EXPECT_EQ(only(event, 2).number, 301U);
  EXPECT_GT(std::bit_cast<double>(only(event, 1).number), 1.6e9);
  std::map<std::string, float> scalars;
  const auto summary = parse(only(event, 5).bytes);
  for (const auto& [number, value] : summary) {
    EXPECT_EQ(number, 1U);
    const auto parts = parse(value.bytes);
    scalars[only(parts, 1).bytes] = std::bit_cast<float>(static_cast<std::uint32_t>(only(parts, 2).number));
  }
  EXPECT_EQ(scalars, (std::map<std::string, float>{{"training/loss", 1.5F}, {"speed/stall_seconds", 0.0F}}));
}

TEST(EventFile, AFolderThatIsNotThereIsTheUsersMistake) { EXPECT_THROW(EventFile("/nowhere/at/all", 0), UserError); }

}  // namespace
}  // namespace phasor::io
