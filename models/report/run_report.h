// report.html: what a run did, as one page, from the files in its folder.
#pragma once

#include <optional>
#include <string>

#include "io/figures/page.h"
#include "io/trace/trace_file.h"
#include "models/report/metrics_log.h"
#include "models/report/run_facts.h"

namespace phasor::run {

// What there is to report on. Whatever is missing is left out of the page.
struct RunRecord {
  std::string name;
  std::vector<StepMetrics> metrics;
  std::optional<RunFacts> facts;
  std::optional<io::Trace> trace;
  std::string config;                  // YAML
  std::string arena_picture;           // an svg element that shows where everything lies in the device memory
  std::vector<io::Figure> evaluation;  // what the newest evaluation made for the report (figures_file.h)
};

// Reads metrics.jsonl, which must be there, and config.yml, run.json, trace.json, arena.svg and figures.json as far as
// they are.
RunRecord read_run(const std::string& folder);

io::Page make_report(const RunRecord& run);

// Writes FOLDER/report.html and returns its path.
std::string write_report(const std::string& folder);

}  // namespace phasor::run
