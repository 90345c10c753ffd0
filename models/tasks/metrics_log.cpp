#include "models/tasks/metrics_log.h"

#include <nlohmann/json.hpp>
#include <vector>

#include "engine/base/error.h"

namespace phasor::tasks {

namespace {

// The lines of the log at `path`, if there is one, up to and including step `last`.
std::vector<std::string> lines_until(const std::string& path, std::int64_t last) {
  std::vector<std::string> lines;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    const auto parsed = nlohmann::json::parse(line, nullptr, false);
    if (!parsed.is_object() || parsed.value("step", last + 1) > last) break;
    lines.push_back(line);
  }
  return lines;
}

}  // namespace

MetricsLog::MetricsLog(const std::string& path, std::int64_t steps_done) : path_(path) {
  const std::vector<std::string> kept = lines_until(path, steps_done);
  file_.open(path, std::ios::trunc);
  check(file_.good(), "'{}' cannot be written", path);
  for (const std::string& line : kept) file_ << line << '\n';
}

void MetricsLog::write(const StepMetrics& metrics) {
  const nlohmann::ordered_json line{{"step", metrics.step},
                                    {"loss", metrics.loss},
                                    {"lr", metrics.learning_rate},
                                    {"samples_per_second", metrics.samples_per_second},
                                    {"device_peak_bytes", metrics.device_peak_bytes},
                                    {"stall_seconds", metrics.stall_seconds}};
  file_ << line.dump() << std::endl;
  check(file_.good(), "'{}' cannot be written. Is the disk full?", path_);
}

}  // namespace phasor::tasks
