// What a run leaves behind for people, and that being watched changes nothing about it.
#include "models/run/run_watch.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <set>

#include "io/files/text_file.h"
#include "models/report/run_report.h"
#include "tests/support/letter_files.h"
#include "tests/support/message.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/trained_letters.h"

namespace phasor::run {
namespace {

using namespace phasor::test;

class Watching : public ::testing::Test {
 protected:
  Watching() {
    write_letter_files(folder_.path(), 50);
    config_ = letter_run(folder_.path());
    config_.training.steps = 6;
  }

  std::string train(const std::string& name) {
    const std::string output = folder_.file(name);
    train_squad(config_, "model: {}\n", output, {{"processor", "abacus"}});
    return output;
  }

  TemporaryFolder folder_;
  RunConfig config_;
};

int count_steps(const io::Trace& trace) {
  return static_cast<int>(std::ranges::count(trace.events, "step", &io::TraceEvent::kind));
}

TEST_F(Watching, NothingIsTracedOrReportedUnlessAskedFor) {
  const std::string output = train("run");
  std::set<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(output)) files.insert(entry.path().filename());
  EXPECT_EQ(files, (std::set<std::string>{"checkpoint.h5", "config.yml", "metrics.jsonl", "run.json"}));
}

TEST_F(Watching, TheTraceHasTheStepsBehindTheFirst) {
  for (const int replicas : {1, 2}) {
    config_.execution.data_parallel = replicas;
    config_.watch.trace = 2;
    const io::Trace trace = io::read_trace(train("run") + "/trace.json");
    std::vector<std::string> steps;
    std::set<std::string> tracks, kinds;
    for (const io::TraceEvent& event : trace.events) {
      if (event.kind == "step") steps.push_back(event.name);
      tracks.insert(trace.tracks[static_cast<std::size_t>(event.track)].process);
      kinds.insert(event.kind);
    }
    EXPECT_EQ(steps, (std::vector<std::string>{"step 2", "step 3"}));
    EXPECT_EQ(std::ssize(tracks), 1 + replicas);
    for (const char* kind : {"phase", "forward", "gradient", "update", "load", "store"}) {
      EXPECT_TRUE(kinds.contains(kind)) << kind;
    }
    EXPECT_EQ(kinds.contains("collective"), replicas > 1);
    const bool named = std::ranges::any_of(
        trace.events, [](const io::TraceEvent& event) { return event.name == "gradient layer 1 / update"; });
    EXPECT_TRUE(named);
  }
}

TEST_F(Watching, ARunShorterThanItsTraceIsTracedWhole) {
  config_.watch.trace = 9;
  EXPECT_EQ(count_steps(io::read_trace(train("run") + "/trace.json")), 6);
}

// Saving brings resident state back in the middle of what is traced.
TEST_F(Watching, SavingBetweenTracedStepsTakesNoneAway) {
  config_.execution.mode = Mode::monolithic;
  config_.checkpoint.every_steps = 1;
  config_.watch.trace = 3;
  const io::Trace trace = io::read_trace(train("run") + "/trace.json");
  EXPECT_EQ(count_steps(trace), 3);
  EXPECT_EQ(std::ranges::count(trace.events, "gradient model", &io::TraceEvent::name), 3);
}

TEST_F(Watching, BeingWatchedChangesNoBit) {
  const std::string plain = train("plain");
  config_.watch = {.trace = 2, .tensorboard = true, .report = true};
  const std::string watched = train("watched");
  const auto a = read_metrics(plain + "/metrics.jsonl"), b = read_metrics(watched + "/metrics.jsonl");
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_EQ(a[i].loss, b[i].loss);
  EXPECT_TRUE(std::filesystem::exists(watched + "/report.html"));
  const auto is_event_file = [](const auto& entry) {
    return entry.path().filename().string().starts_with("events.out.tfevents.");
  };
  EXPECT_EQ(std::ranges::count_if(std::filesystem::directory_iterator(watched), is_event_file), 1);
}

TEST_F(Watching, TheReportStandsAloneAndTellsWhatIsThere) {
  config_.execution.recompute = Recompute::layer;
  config_.execution.device_memory = {48 << 10};
  config_.watch.report = true;
  std::string html = io::read_file("test", train("run") + "/report.html");
  for (const char* part :
       {"Training run run", "Loss", "Learning rate", "Throughput", "Timeline of a step", "gradient layer",
        "Device memory over a step", "budget 48 KiB", "place by place", "Bytes by phase", "Time by phase", "abacus",
        "model: {}", "prefers-color-scheme: dark", "@media print", "width=device-width"}) {
    EXPECT_NE(html.find(part), std::string::npos) << part;
  }
  const std::string_view name_of_svg = " xmlns=\"http://www.w3.org/2000/svg\"";
  html.erase(html.find(name_of_svg), name_of_svg.size());  // the arena's; nobody follows it
  for (const char* part : {"src=", "href=", "url(", "@import", "<script", "http"}) {
    EXPECT_EQ(html.find(part), std::string::npos) << part;
  }
}

TEST_F(Watching, AReportCanBeMadeFromMetricsAlone) {
  const std::string output = train("run");
  std::filesystem::remove(output + "/run.json");
  std::filesystem::remove(output + "/config.yml");
  const std::string path = write_report(output + "/");
  EXPECT_NE(io::read_file("test", path).find("Training run run"), std::string::npos);
  std::ofstream(output + "/arena.svg") << "<svg id=\"arena\"></svg>";
  EXPECT_EQ(io::read_file("test", write_report(output)).find("id=\"arena\""), std::string::npos);
}

TEST_F(Watching, TheArenaPictureIsTakenInAsItIs) {
  const std::string output = train("run");
  std::ofstream(output + "/arena.svg") << "<svg id=\"arena\"></svg>";
  EXPECT_NE(io::read_file("test", write_report(output)).find("<svg id=\"arena\"></svg>"), std::string::npos);
}

TEST_F(Watching, MistakesAreTheUsers) {
  EXPECT_EQ(message_of([&] { write_report(folder_.file("none")); }),
            fmt::format("report: '{}' is not a folder; expected the output folder of a run", folder_.file("none")));
  EXPECT_NE(message_of([&] { write_report(folder_.path()); }).find("metrics.jsonl"), std::string::npos);
  std::ofstream(folder_.file("metrics.jsonl")) << "{\"step\": 1, \"lo";
  EXPECT_NE(message_of([&] { write_report(folder_.path()); }).find("no steps yet"), std::string::npos);
  const std::string output = train("run");
  std::ofstream(output + "/run.json") << "{}";
  EXPECT_NE(message_of([&] { write_report(output); }).find("run.json"), std::string::npos);
}

TEST_F(Watching, FactsAreReadBackAsTheyWereWritten) {
  const RunFacts facts = read_run_facts(train("run") + "/run.json");
  write_run_facts(folder_.file("again.json"), facts);
  EXPECT_EQ(io::read_file("test", folder_.file("again.json")), io::read_file("test", folder_.file("run/run.json")));
  EXPECT_EQ(facts.machine, (NamedTexts{{"processor", "abacus"}}));
  EXPECT_EQ(facts.samples_per_step, 16);
}

}  // namespace
}  // namespace phasor::run
