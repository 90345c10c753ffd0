// Event files, which TensorBoard reads: scalars over steps. Format: TFRecords of tensorflow.Event messages.
#pragma once

#include <cstdint>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

namespace phasor::io {

struct EventScalar {
  std::string tag;  // "training/loss"; what stands before the slash groups them
  float value = 0;
};

// The bytes of a message of type tensorflow.Event, as far as it is used here. Wall time in seconds since 1970.
std::string file_version_event(double wall_time);
std::string session_start_event(double wall_time, std::int64_t step);
std::string scalars_event(double wall_time, std::int64_t step, const std::vector<EventScalar>& scalars);

// A message in its frame: length, its checksum, the bytes, theirs.
std::string tfrecord(std::string_view message);

class EventFile {
 public:
  // A new file in the folder, whose name tells time and host. TensorBoard forgets what earlier files of the folder say
  // about steps after `steps_done`.
  EventFile(const std::string& folder, std::int64_t steps_done);

  // Of one step, brought to the file at once.
  void write(std::int64_t step, const std::vector<EventScalar>& scalars);

  const std::string& path() const { return path_; }

 private:
  void append(const std::string& message);

  std::string path_;
  std::ofstream file_;
};

}  // namespace phasor::io
