#include "io/trace/trace_file.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "engine/base/error.h"
#include "io/files/atomic_file.h"
#include "io/files/text_file.h"
#include "io/json/json_number.h"

namespace phasor::io {

namespace {

using TraceJson = nlohmann::ordered_json;

constexpr double kMicrosecond = 1e-6;
constexpr const char* kPhase = "phase";  // among an event's arguments

TraceJson metadata(const char* name, int process, int thread, TraceJson arguments) {
  return {{"ph", "M"}, {"name", name}, {"pid", process}, {"tid", thread}, {"args", std::move(arguments)}};
}

// Microseconds with three decimals, as the format wants them.
double microseconds(double seconds) { return std::round(seconds * 1e9) / 1e3; }

// The number of each track's process, in the order of their first tracks.
std::vector<int> processes_of(const std::vector<TraceTrack>& tracks) {
  std::map<std::string, int> numbers;
  std::vector<int> processes;
  for (const TraceTrack& track : tracks) {
    processes.push_back(numbers.emplace(track.process, static_cast<int>(numbers.size())).first->second);
  }
  return processes;
}

}  // namespace

Trace separate_overlaps(const Trace& trace) {
  constexpr double kTouching = 1e-9;  // seconds; times are rounded
  Trace result;
  std::vector<TraceEvent> events = trace.events;
  std::ranges::stable_sort(events, {}, [](const TraceEvent& event) { return std::pair(event.track, event.begin); });
  auto next = events.begin();
  for (int track = 0; track < std::ssize(trace.tracks); ++track) {
    const auto first = static_cast<int>(result.tracks.size());
    std::vector<double> ends;  // of the last event on each of the tracks that this one became
    std::vector<TraceEvent> moved;
    for (; next != events.end() && next->track == track; ++next) {
      auto lane = std::ranges::find_if(ends, [&](double end) { return end <= next->begin + kTouching; });
      if (lane == ends.end()) lane = ends.insert(ends.end(), 0.0);
      *lane = next->begin + next->seconds;
      moved.push_back(*next);
      moved.back().track = first + static_cast<int>(lane - ends.begin());
    }
    for (std::size_t lane = 0; lane < std::max<std::size_t>(1, ends.size()); ++lane) {
      result.tracks.push_back(trace.tracks[static_cast<std::size_t>(track)]);
      if (lane > 0) result.tracks.back().name += fmt::format(" {}", lane + 1);
    }
    std::ranges::stable_sort(moved, {}, &TraceEvent::track);
    result.events.insert(result.events.end(), moved.begin(), moved.end());
  }
  return result;
}

void write_trace(const std::string& path, const Trace& trace) {
  const std::vector<int> processes = processes_of(trace.tracks);
  write_atomically(path, [&](const std::string& temporary) {
    std::ofstream file(temporary);
    file << "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n";
    for (std::size_t t = 0; t < trace.tracks.size(); ++t) {
      const auto thread = static_cast<int>(t);
      file << metadata("process_name", processes[t], thread, {{"name", trace.tracks[t].process}}).dump() << ",\n"
           << metadata("thread_name", processes[t], thread, {{"name", trace.tracks[t].name}}).dump() << ",\n"
           << metadata("thread_sort_index", processes[t], thread, {{"sort_index", thread}}).dump() << ",\n";
    }
    for (const TraceEvent& event : trace.events) {
      TraceJson arguments = TraceJson::object();
      if (!event.phase.empty()) arguments[kPhase] = event.phase;
      for (const auto& [name, number] : event.numbers) arguments[name] = number;
      file << TraceJson{{"ph", "X"},
                        {"name", event.name},
                        {"cat", event.kind},
                        {"pid", processes[static_cast<std::size_t>(event.track)]},
                        {"tid", event.track},
                        {"ts", microseconds(event.begin)},
                        {"dur", microseconds(event.seconds)},
                        {"args", arguments}}
                  .dump()
           << ",\n";
    }
    file << metadata("trace_ends", 0, 0, TraceJson::object()).dump() << "\n]}\n";
    file.close();
    check(file.good(), "trace: '{}' cannot be written. Is the disk full?", path);
  });
}

namespace {

template <class Number = int>
Number number_of(const nlohmann::json& value) {
  const auto number = whole_number<Number>(value);
  if (!number) throw std::out_of_range("a number that is none of ours");
  return *number;
}

}  // namespace

Trace read_trace(const std::string& path) {
  const auto root = nlohmann::json::parse(read_file("trace", path), nullptr, false);
  Trace trace;
  try {
    std::map<int, std::string> processes;
    std::map<int, std::pair<int, std::string>> threads;  // by tid: pid, name
    for (const auto& item : root.at("traceEvents")) {
      const std::string name = item.at("name");
      if (item.at("ph") == "X") {
        trace.events.push_back({.track = number_of(item.at("tid")),
                                .name = name,
                                .kind = item.at("cat"),
                                .phase = {},
                                .begin = item.at("ts").get<double>() * kMicrosecond,
                                .seconds = item.at("dur").get<double>() * kMicrosecond,
                                .numbers = {}});
        for (const auto& [key, value] : item.at("args").items()) {
          if (key == kPhase) {
            trace.events.back().phase = value;
          } else {
            trace.events.back().numbers.emplace_back(key, number_of<std::int64_t>(value));
          }
        }
      } else if (name == "process_name") {
        processes[number_of(item.at("pid"))] = item.at("args").at("name");
      } else if (name == "thread_name") {
        threads[number_of(item.at("tid"))] = {number_of(item.at("pid")), item.at("args").at("name")};
      }
    }
    for (const auto& [tid, thread] : threads) trace.tracks.push_back({processes.at(thread.first), thread.second});
    for (const TraceEvent& event : trace.events) {
      check(event.track >= 0 && event.track < std::ssize(trace.tracks), "trace: '{}' has an event on no track", path);
    }
  } catch (const nlohmann::json::exception&) {
    check(false, "trace: '{}' is not a trace that Phasor wrote", path);
  } catch (const std::out_of_range&) {
    check(false, "trace: '{}' is not a trace that Phasor wrote", path);
  }
  return trace;
}

}  // namespace phasor::io
