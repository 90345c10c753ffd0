#include "io/trace/trace_file.h"

#include <fstream>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "io/files/text_file.h"
#include "tests/support/message.h"
#include "tests/support/temporary_folder.h"

namespace phasor::io {
namespace {

using namespace phasor::test;

Trace example() {
  return {.tracks = {{"host", "steps"}, {"replica 0", "compute"}, {"replica 0", "loads"}, {"replica 1", "compute"}},
          .events = {{.track = 0, .name = "step 2", .kind = "step", .begin = 0, .seconds = 0.5},
                     {.track = 1,
                      .name = "gradient layer 3 / update",
                      .kind = "update",
                      .phase = "gradient layer",
                      .begin = 0.125,
                      .seconds = 0.25,
                      .numbers = {{"bytes", 4096}, {"micro_batch", 7}}},
                     {.track = 3, .name = "\"quoted\"", .kind = "other", .begin = 0.000000123, .seconds = 1e-9}}};
}

TEST(TraceFile, ReadsBackWhatWasWritten) {
  const TemporaryFolder folder;
  write_trace(folder.file("trace.json"), example());
  const Trace read = read_trace(folder.file("trace.json"));
  EXPECT_EQ(read.tracks, example().tracks);
  ASSERT_EQ(read.events.size(), example().events.size());
  for (std::size_t i = 0; i < read.events.size(); ++i) {
    TraceEvent event = read.events[i];
    // Nanoseconds in decimal do not come back to the bit.
    EXPECT_NEAR(event.begin, example().events[i].begin, 1e-12);
    EXPECT_NEAR(event.seconds, example().events[i].seconds, 1e-12);
    event.begin = example().events[i].begin;
    event.seconds = example().events[i].seconds;
    EXPECT_EQ(event, example().events[i]);
  }
}

// What Perfetto asks for: complete events with times in microseconds, and names of processes and threads.
TEST(TraceFile, IsInChromesFormat) {
  const TemporaryFolder folder;
  write_trace(folder.file("trace.json"), example());
  const auto root = nlohmann::json::parse(read_file("test", folder.file("trace.json")));
  int complete = 0;
  for (const auto& event : root.at("traceEvents")) {
    if (event.at("ph") != "X") continue;
    ++complete;
    if (event.at("name") != "gradient layer 3 / update") continue;
    EXPECT_EQ(event.at("ts"), 125000.0);
    EXPECT_EQ(event.at("dur"), 250000.0);
    EXPECT_EQ(event.at("pid"), 1);
    EXPECT_EQ(event.at("args").at("bytes"), 4096);
    EXPECT_EQ(event.at("args").at("phase"), "gradient layer");
  }
  EXPECT_EQ(complete, 3);
}

TEST(TraceFile, EventsThatOverlapGetTracksOfTheirOwn) {
  Trace trace{.tracks = {{"r", "loads"}, {"r", "stores"}}, .events = {}};
  const auto add = [&](int track, const char* name, double begin, double seconds) {
    trace.events.push_back({.track = track, .name = name, .kind = "x", .begin = begin, .seconds = seconds});
  };
  add(1, "s", 0, 9);
  add(0, "a", 0, 2);
  add(0, "b", 1, 3);
  add(0, "c", 2, 1);
  add(0, "d", 3.5, 1);
  const Trace separate = separate_overlaps(trace);
  EXPECT_EQ(separate.tracks, (std::vector<TraceTrack>{{"r", "loads"}, {"r", "loads 2"}, {"r", "stores"}}));
  std::string order;
  for (const TraceEvent& event : separate.events) order += fmt::format("{}{} ", event.track, event.name);
  EXPECT_EQ(order, "0a 0c 0d 1b 2s ");
}

TEST(TraceFile, AnotherFileIsTheUsersMistake) {
  const TemporaryFolder folder;
  for (const char* text : {"", "[]", "{\"traceEvents\": [{\"ph\": \"X\", \"name\": \"a\"}]}",
                           "{\"traceEvents\": [{\"ph\": \"X\", \"name\": \"a\", \"cat\": \"b\", \"ts\": 0, \"dur\": 0, "
                           "\"tid\": 5, \"pid\": 0, \"args\": {}}]}"}) {
    std::ofstream(folder.file("trace.json")) << text;
    EXPECT_NE(message_of([&] { read_trace(folder.file("trace.json")); }).find("trace.json"), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace phasor::io
