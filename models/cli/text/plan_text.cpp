#include <algorithm>
#include <fmt/format.h>

#include "engine/base/byte_size.h"
#include "models/plan/plan_report.h"

namespace phasor::run {

namespace {

std::string plural_name(const PhaseKind& kind) {
  return kind.phases > 1 ? fmt::format("{} x {}", kind.name, kind.phases) : kind.name;
}

// The contents that take most, largest first, and the rest in one.
std::string held_text(const BytesByContent& held) {
  constexpr std::size_t kShown = 4;
  std::array<std::size_t, kContentNames.size()> order{};
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::stable_sort(order, std::ranges::greater{}, [&](std::size_t i) { return held[i]; });
  std::string text;
  std::int64_t rest = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const std::int64_t bytes = held[order[i]];
    if (i >= kShown) {
      rest += bytes;
    } else if (mebibytes(bytes) >= 0.05 || i == 0) {
      text += fmt::format("{}{} {:.1f}", text.empty() ? "" : ", ", kContentNames[order[i]], mebibytes(bytes));
    }
  }
  if (mebibytes(rest) >= 0.05) text += fmt::format(", other {:.1f}", mebibytes(rest));
  return text;
}

std::string seconds_text(double seconds) {
  return seconds < 10 ? fmt::format("{:.3f}", seconds) : fmt::format("{:.1f}", seconds);
}

std::string line_of(const PhaseKind& kind) {
  const PhaseSeconds& s = kind.seconds;
  return fmt::format("{:<24} {:>9.1f} {:>9.1f} {:>9.1f} {:>8} {:>8} {:>8} {:>8} {:>8} {:>8}  {}\n", plural_name(kind),
                     mebibytes(kind.peak_bytes), mebibytes(kind.loaded_bytes), mebibytes(kind.stored_bytes),
                     seconds_text(s.load), seconds_text(s.compute), seconds_text(s.collective), seconds_text(s.store),
                     seconds_text(s.stall), seconds_text(s.elapsed()), held_text(kind.held));
}

}  // namespace

std::string to_text(const PlanReport& report) {
  std::string text =
      fmt::format("{:<24} {:>9} {:>9} {:>9} {:>8} {:>8} {:>8} {:>8} {:>8} {:>8}  {}\n", "phases", "peak", "loaded",
                  "stored", "load", "compute", "collect", "store", "stall", "all", "held at the");
  text += fmt::format("{:<24} {:>9} {:>9} {:>9} {:>8} {:>8} {:>8} {:>8} {:>8} {:>8}  {}\n", "", "MiB", "MiB", "MiB",
                      "s", "s", "s", "s", "s", "s", "peak, MiB");
  for (const PhaseKind& kind : report.kinds) text += line_of(kind);
  const auto add = [&](const char* what, double number, const std::string& unit) {
    text += fmt::format("{:<24} {:>12.1f}  {}\n", what, number, unit);
  };
  text += fmt::format("\n{:<24} {:>12}\n", "parameters", report.parameters);
  text += fmt::format("{:<24} {:>12}  of {} samples, on each of {} replicas\n", "micro-batches", report.accumulation,
                      report.micro_batch_size, report.replicas);
  add("device memory, peak", mebibytes(report.device_peak_bytes),
      fmt::format("MiB a replica (no placement needs less than {:.1f})", mebibytes(report.device_lower_bound_bytes)));
  add("remote memory", mebibytes(report.remote_bytes), report.remote_in_files ? "MiB, in files" : "MiB");
  add("host memory", mebibytes(report.host_bytes),
      report.remote_in_files ? "MiB: device memory of all replicas and the program itself"
                             : "MiB: remote memory, device memory of all replicas and the program itself");
  add("loaded, stored", mebibytes(report.loaded_bytes),
      fmt::format("MiB, {:.1f} MiB a replica and step", mebibytes(report.stored_bytes)));
  add("matrix products", report.flops / 1e9, "GFLOP a replica and step");
  text += fmt::format("{:<24} {:>12}  seconds, {:.3g} samples/s\n", "predicted step", seconds_text(report.step_seconds),
                      report.samples_per_second());
  return text;
}

nlohmann::ordered_json to_json(const PlanReport& report) {
  nlohmann::ordered_json phases = nlohmann::ordered_json::array();
  for (const PhaseKind& kind : report.kinds) {
    nlohmann::ordered_json held = nlohmann::ordered_json::object();
    for (std::size_t i = 0; i < kContentNames.size(); ++i) {
      std::string key{kContentNames[i]};
      std::ranges::replace(key, ' ', '_');
      held[key] = kind.held[i];
    }
    phases.push_back({{"name", kind.name},
                      {"instances", kind.phases},
                      {"peak_bytes", kind.peak_bytes},
                      {"held_bytes", held},
                      {"loaded_bytes", kind.loaded_bytes},
                      {"stored_bytes", kind.stored_bytes},
                      {"load_seconds", kind.seconds.load},
                      {"compute_seconds", kind.seconds.compute},
                      {"collective_seconds", kind.seconds.collective},
                      {"store_seconds", kind.seconds.store},
                      {"stall_seconds", kind.seconds.stall},
                      {"seconds", kind.seconds.elapsed()}});
  }
  return {{"device_peak_bytes", report.device_peak_bytes},
          {"device_lower_bound_bytes", report.device_lower_bound_bytes},
          {"remote_bytes", report.remote_bytes},
          {"host_bytes", report.host_bytes},
          {"loaded_bytes", report.loaded_bytes},
          {"stored_bytes", report.stored_bytes},
          {"flops", report.flops},
          {"predicted_step_seconds", report.step_seconds},
          {"predicted_samples_per_second", report.samples_per_second()},
          {"phases", phases}};
}

}  // namespace phasor::run
