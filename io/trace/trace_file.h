// Timelines as Chrome's trace events, which Perfetto and chrome://tracing open. Format: "Trace Event Format", Google.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace phasor::io {

// A row of the timeline, such as the loads of replica 0.
struct TraceTrack {
  std::string process, name;
  friend bool operator==(const TraceTrack&, const TraceTrack&) = default;
};

struct TraceEvent {
  int track = 0;
  std::string name, kind;  // "gradient layer 3 / update", "update"
  std::string phase;       // of whichever instance, "gradient layer"; "": of none
  double begin = 0;        // seconds since the trace began
  double seconds = 0;
  std::vector<std::pair<std::string, std::int64_t>> numbers;  // "bytes", "micro_batch", ..

  friend bool operator==(const TraceEvent&, const TraceEvent&) = default;
};

struct Trace {
  std::vector<TraceTrack> tracks;
  std::vector<TraceEvent> events;
};

// Moves events that begin before an earlier one of their track has ended to further tracks, "loads 2" and so on:
// viewers take what overlaps on one row for nested. Events are then in the order of tracks, and of time in each.
Trace separate_overlaps(const Trace& trace);

// Written whole or not at all. Times are kept to the nanosecond.
void write_trace(const std::string& path, const Trace& trace);

// A file that write_trace wrote.
Trace read_trace(const std::string& path);

}  // namespace phasor::io
