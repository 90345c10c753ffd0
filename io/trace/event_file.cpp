#include "io/trace/event_file.h"

#include <bit>
#include <chrono>
#include <fmt/format.h>
#include <unistd.h>

#include "engine/base/error.h"
#include "io/trace/crc32c.h"

namespace phasor::io {

namespace {

// Protocol buffers: a field is its number and wire type as a varint, then the value.
enum class WireType : std::uint32_t { varint = 0, fixed64 = 1, bytes = 2, fixed32 = 5 };

// Numbers of the fields, from tensorflow/core/util/event.proto and framework/summary.proto.
enum EventField : std::uint32_t { kWallTime = 1, kEventStep = 2, kFileVersion = 3, kSummary = 5, kSessionLog = 7 };
enum SummaryField : std::uint32_t { kSummaryValue = 1 };
enum ValueField : std::uint32_t { kValueTag = 1, kSimpleValue = 2 };
enum SessionLogField : std::uint32_t { kLogStatus = 1 };
constexpr std::uint64_t kSessionStart = 1;

void append_varint(std::string& message, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) message += static_cast<char>((value & 0x7F) | 0x80);
  message += static_cast<char>(value);
}

void append_key(std::string& message, std::uint32_t field, WireType type) {
  append_varint(message, field << 3 | static_cast<std::uint32_t>(type));
}

template <class Bits>
void append_little_endian(std::string& message, Bits bits) {
  for (std::size_t byte = 0; byte < sizeof(Bits); ++byte) message += static_cast<char>(bits >> 8 * byte & 0xFF);
}

void append_bytes(std::string& message, std::uint32_t field, std::string_view bytes) {
  append_key(message, field, WireType::bytes);
  append_varint(message, bytes.size());
  message += bytes;
}

std::string event_head(double wall_time, std::int64_t step) {
  std::string message;
  append_key(message, kWallTime, WireType::fixed64);
  append_little_endian(message, std::bit_cast<std::uint64_t>(wall_time));
  append_key(message, kEventStep, WireType::varint);
  append_varint(message, static_cast<std::uint64_t>(step));
  return message;
}

double seconds_since_1970() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

std::string host_name() {
  char name[256] = {};
  return gethostname(name, sizeof(name) - 1) == 0 && *name != 0 ? name : "host";
}

}  // namespace

std::string file_version_event(double wall_time) {
  std::string message = event_head(wall_time, 0);
  append_bytes(message, kFileVersion, "brain.Event:2");
  return message;
}

std::string session_start_event(double wall_time, std::int64_t step) {
  std::string log;
  append_key(log, kLogStatus, WireType::varint);
  append_varint(log, kSessionStart);
  std::string message = event_head(wall_time, step);
  append_bytes(message, kSessionLog, log);
  return message;
}

std::string scalars_event(double wall_time, std::int64_t step, const std::vector<EventScalar>& scalars) {
  std::string summary;
  for (const EventScalar& scalar : scalars) {
    std::string value;
    append_bytes(value, kValueTag, scalar.tag);
    append_key(value, kSimpleValue, WireType::fixed32);
    append_little_endian(value, std::bit_cast<std::uint32_t>(scalar.value));
    append_bytes(summary, kSummaryValue, value);
  }
  std::string message = event_head(wall_time, step);
  append_bytes(message, kSummary, summary);
  return message;
}

std::string tfrecord(std::string_view message) {
  std::string record;
  append_little_endian(record, static_cast<std::uint64_t>(message.size()));
  append_little_endian(record, masked_crc32c(record));
  record += message;
  append_little_endian(record, masked_crc32c(message));
  return record;
}

EventFile::EventFile(const std::string& folder, std::int64_t steps_done) {
  const double now = seconds_since_1970();
  // The time leads, with decimals: readers take files in the order of their names.
  path_ = fmt::format("{}/events.out.tfevents.{:.6f}.{}.{}", folder, now, host_name(), getpid());
  file_.open(path_, std::ios::binary);
  append(file_version_event(now));
  // A step counts as forgotten from the one that is named on.
  append(session_start_event(now, steps_done + 1));
}

void EventFile::write(std::int64_t step, const std::vector<EventScalar>& scalars) {
  append(scalars_event(seconds_since_1970(), step, scalars));
}

void EventFile::append(const std::string& message) {
  file_ << tfrecord(message) << std::flush;
  check(file_.good(), "'{}' cannot be written. Is the disk full?", path_);
}

}  // namespace phasor::io
