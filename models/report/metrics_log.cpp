#include "models/report/metrics_log.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>

#include "engine/base/error.h"

namespace phasor::run {

namespace {

// The lines of the log at `path`, if there is one, up to and including step `last`.
std::vector<std::string> lines_until(const std::string& path, std::int64_t last) {
  std::vector<std::string> lines;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    const auto parsed = nlohmann::json::parse(line, nullptr, false);
    if (!parsed.is_object() || !parsed.contains("step") || !parsed["step"].is_number() || parsed["step"] > last) break;
    lines.push_back(line);
  }
  return lines;
}

double mean_loss(std::span<const StepMetrics> metrics) {
  double sum = 0;
  for (const StepMetrics& step : metrics) sum += step.loss;
  return sum / static_cast<double>(std::max<std::size_t>(1, metrics.size()));
}

}  // namespace

LossTrend loss_trend(std::span<const StepMetrics> metrics) {
  const std::size_t window = std::min(metrics.size(), std::max<std::size_t>(10, metrics.size() / 10));
  return {.first = mean_loss(metrics.first(window)), .last = mean_loss(metrics.last(window))};
}

std::vector<StepMetrics> read_metrics(const std::string& path) {
  check(std::filesystem::exists(path), "'{}' does not exist. Is this the output folder of a run?", path);
  std::vector<StepMetrics> metrics;
  for (const std::string& line : lines_until(path, std::numeric_limits<std::int64_t>::max())) {
    const auto parsed = nlohmann::json::parse(line);
    // What is no number, such as an infinite rate, counts as 0.
    const auto number = [&](const char* key) {
      const auto found = parsed.find(key);
      return found != parsed.end() && found->is_number() ? found->get<double>() : 0.0;
    };
    const auto text = [&](const char* key) {
      const auto found = parsed.find(key);
      return found != parsed.end() && found->is_string() ? found->get<std::string>() : "";
    };
    const auto measured = [&](const char* key) {
      return parsed.contains(key) ? std::optional(number(key)) : std::nullopt;
    };
    metrics.push_back({.step = parsed["step"],
                       .steps = std::max<std::int64_t>(1, static_cast<std::int64_t>(number("steps"))),
                       .samples = static_cast<std::int64_t>(number("samples")),
                       .loss = number("loss"),
                       .loss_sum = measured("loss_sum"),
                       .learning_rate = number("lr"),
                       .gradient_norm = measured("gradient_norm"),
                       .samples_per_second = number("samples_per_second"),
                       .device_peak_bytes = static_cast<std::int64_t>(number("device_peak_bytes")),
                       .stall_seconds = number("stall_seconds"),
                       .fingerprint = text("fingerprint")});
  }
  return metrics;
}

MetricsLog::MetricsLog(const std::string& path, std::int64_t steps_done)
    : MetricsLog(path, lines_until(path, steps_done)) {}

MetricsLog::MetricsLog(const std::string& path, const std::vector<std::string>& kept)
    : log_(path, kept), lines_(std::ssize(kept)) {}

void MetricsLog::write(const StepMetrics& metrics) {
  nlohmann::ordered_json line{{"step", metrics.step},
                              {"samples", metrics.samples},
                              {"loss", metrics.loss},
                              {"lr", metrics.learning_rate},
                              {"samples_per_second", metrics.samples_per_second},
                              {"device_peak_bytes", metrics.device_peak_bytes},
                              {"stall_seconds", metrics.stall_seconds}};
  if (metrics.steps > 1) line["steps"] = metrics.steps;
  if (metrics.loss_sum) line["loss_sum"] = *metrics.loss_sum;
  if (metrics.gradient_norm) line["gradient_norm"] = *metrics.gradient_norm;
  if (!metrics.fingerprint.empty()) line["fingerprint"] = metrics.fingerprint;
  log_.write(line.dump());
  ++lines_;
}

}  // namespace phasor::run
