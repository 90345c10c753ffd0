#include <algorithm>
#include <fmt/format.h>
#include <optional>

#include "engine/base/byte_size.h"
#include "models/plan/plan_report.h"

namespace phasor::run {

namespace {

std::string plural_name(const PhaseKind& kind) {
  return kind.phases > 1 ? fmt::format("{} x {}", kind.name, kind.phases) : kind.name;
}

// The contents that take most, largest first, and the rest in one.
template <std::size_t count>
std::string held_text(const std::array<std::int64_t, count>& held, const std::array<std::string_view, count>& names) {
  constexpr std::size_t kShown = 4;
  std::array<std::size_t, count> order{};
  for (std::size_t i = 0; i < count; ++i) order[i] = i;
  std::ranges::stable_sort(order, std::ranges::greater{}, [&](std::size_t i) { return held[i]; });
  std::string text;
  std::int64_t rest = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::int64_t bytes = held[order[i]];
    if (i >= kShown) {
      rest += bytes;
    } else if (mebibytes(bytes) >= 0.05 || i == 0) {
      text += fmt::format("{}{} {:.1f}", text.empty() ? "" : ", ", names[order[i]], mebibytes(bytes));
    }
  }
  if (mebibytes(rest) >= 0.05) text += fmt::format(", other {:.1f}", mebibytes(rest));
  return text;
}

// Keys as the names have them: "packed_weights".
template <std::size_t count>
nlohmann::ordered_json held_json(const std::array<std::int64_t, count>& held,
                                 const std::array<std::string_view, count>& names) {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  for (std::size_t i = 0; i < count; ++i) {
    std::string key{names[i]};
    std::erase(key, ',');
    std::ranges::replace(key, ' ', '_');
    json[key] = held[i];
  }
  return json;
}

struct Tier {
  const char* name = "";
  const char* text = "";  // what it is
  std::int64_t needed = 0;
  std::optional<std::int64_t> available;

  bool fits() const { return !available || needed <= *available; }
};

std::vector<Tier> tiers_of(const PlanReport& report) {
  const run::MemoryUse& use = report.use;
  std::vector<Tier> tiers{{"device", "device, of a replica", use.device_bytes, report.budgets.device},
                          {"host", "host", use.host_bytes(), report.budgets.host}};
  if (use.remote_in_files) tiers.push_back({"file", "files", use.file_bytes(), report.budgets.files});
  return tiers;
}

std::string line_of(const Tier& tier) {
  const std::string available = tier.available ? fmt::format("{:.1f}", mebibytes(*tier.available)) : "any";
  return fmt::format("{:<24} {:>12.1f} {:>12}{}\n", tier.text, mebibytes(tier.needed), available,
                     tier.fits() ? "" : "  too little");
}

nlohmann::ordered_json json_of(const Tier& tier) {
  nlohmann::ordered_json json{{"tier", tier.name}, {"needed_bytes", tier.needed}, {"available_bytes", nullptr}};
  if (tier.available) json["available_bytes"] = *tier.available;
  json["fits"] = tier.fits();
  return json;
}

std::string seconds_text(double seconds) {
  return seconds < 10 ? fmt::format("{:.3f}", seconds) : fmt::format("{:.1f}", seconds);
}

std::string line_of(const PhaseKind& kind) {
  const PhaseSeconds& s = kind.seconds;
  return fmt::format("{:<24} {:>9.1f} {:>9.1f} {:>9.1f} {:>8} {:>8} {:>8} {:>8} {:>8} {:>8}  {}\n", plural_name(kind),
                     mebibytes(kind.peak_bytes), mebibytes(kind.loaded_bytes), mebibytes(kind.stored_bytes),
                     seconds_text(s.load), seconds_text(s.compute), seconds_text(s.collective), seconds_text(s.store),
                     seconds_text(s.stall), seconds_text(s.elapsed()), held_text(kind.held, kContentNames));
}

// Nothing of a single device.
std::string pipeline_text(const PipelineReport& pipeline) {
  if (pipeline.devices.size() == 1) return "";
  std::string text = fmt::format("\n{:<24} {:>9} {:>9} {:>9} {:>9}\n{:<24} {:>9} {:>9} {:>9} {:>9}\n", "devices",
                                 "peak", "products", "busy", "idle", "", "MiB", "GFLOP", "s", "%");
  for (std::size_t device = 0; device < pipeline.devices.size(); ++device) {
    const DeviceReport& one = pipeline.devices[device];
    text +=
        fmt::format("{:<24} {:>9.1f} {:>9.1f} {:>9} {:>9.1f}\n", fmt::format("device {}", device),
                    mebibytes(one.peak_bytes), one.flops / 1e9, seconds_text(one.busy_seconds), 100 * one.idle_share);
  }
  text += fmt::format("{:<24} {:>39.1f}  of the textbook {:.1f}, for equal parts and {} groups of micro-batches\n",
                      "all, idle", 100 * pipeline.idle_share, 100 * pipeline.textbook_idle_share(), pipeline.groups);
  return text + fmt::format("{:<24} {:>9.1f}  MiB for messages under way, of a replica\n\n", "links",
                            mebibytes(pipeline.link_bytes));
}

nlohmann::ordered_json json_of(const PipelineReport& pipeline) {
  nlohmann::ordered_json devices = nlohmann::ordered_json::array();
  for (const DeviceReport& device : pipeline.devices) {
    devices.push_back({{"device_peak_bytes", device.peak_bytes},
                       {"device_lower_bound_bytes", device.lower_bound_bytes},
                       {"flops", device.flops},
                       {"busy_seconds", device.busy_seconds},
                       {"idle_share", device.idle_share}});
  }
  return {{"devices", devices},
          {"groups", pipeline.groups},
          {"parts", pipeline.parts},
          {"link_bytes", pipeline.link_bytes},
          {"idle_share", pipeline.idle_share},
          {"textbook_idle_share", pipeline.textbook_idle_share()}};
}

}  // namespace

std::string to_text(const PlanReport& report) {
  std::string text =
      fmt::format("{:<24} {:>9} {:>9} {:>9} {:>8} {:>8} {:>8} {:>8} {:>8} {:>8}  {}\n", "phases", "peak", "loaded",
                  "stored", "load", "compute", "collect", "store", "stall", "all", "held at the");
  text += fmt::format("{:<24} {:>9} {:>9} {:>9} {:>8} {:>8} {:>8} {:>8} {:>8} {:>8}  {}\n", "", "MiB", "MiB", "MiB",
                      "s", "s", "s", "s", "s", "s", "peak, MiB");
  for (const PhaseKind& kind : report.kinds) {
    const bool is_first = &kind == &report.kinds.front() || kind.device != (&kind)[-1].device;
    if (is_first && report.pipeline.devices.size() > 1) text += fmt::format("device {}\n", kind.device);
    text += line_of(kind);
  }
  const auto add = [&](const char* what, double number, const std::string& unit) {
    text += fmt::format("{:<24} {:>12.1f}  {}\n", what, number, unit);
  };
  text += fmt::format("\n{:<24} {:>12}\n", "parameters", report.parameters);
  text += pipeline_text(report.pipeline);
  text += fmt::format("{:<24} {:>12}  of {} samples, on each of {} replicas\n", "micro-batches", report.accumulation,
                      report.micro_batch_size, report.replicas);
  add("device memory, peak", mebibytes(report.device_peak_bytes),
      fmt::format("MiB a replica (no placement needs less than {:.1f})", mebibytes(report.device_lower_bound_bytes)));
  add("device memory, eval", mebibytes(report.eval.device_bytes),
      fmt::format("MiB a replica, in micro-batches of {}", report.eval.micro_batch_size));
  add("remote memory", mebibytes(report.remote_bytes),
      "MiB: " + held_text(report.use.remote, run::kRemoteContentNames));
  add("loaded, stored", mebibytes(report.loaded_bytes),
      fmt::format("MiB, {:.1f} MiB a replica and step", mebibytes(report.stored_bytes)));
  add("matrix products", report.flops / 1e9, "GFLOP a replica and step");
  text += fmt::format("{:<24} {:>12}  seconds, {:.3g} samples/s\n", "predicted step", seconds_text(report.step_seconds),
                      report.samples_per_second());
  text +=
      fmt::format("\n{:<24} {:>12} {:>12}\n{:<24} {:>12} {:>12}\n", "memory", "needed", "available", "", "MiB", "MiB");
  for (const Tier& tier : tiers_of(report)) text += line_of(tier);
  return text;
}

nlohmann::ordered_json to_json(const PlanReport& report) {
  nlohmann::ordered_json phases = nlohmann::ordered_json::array();
  for (const PhaseKind& kind : report.kinds) {
    phases.push_back({{"name", kind.name},
                      {"device", kind.device},
                      {"instances", kind.phases},
                      {"peak_bytes", kind.peak_bytes},
                      {"held_bytes", held_json(kind.held, kContentNames)},
                      {"loaded_bytes", kind.loaded_bytes},
                      {"stored_bytes", kind.stored_bytes},
                      {"load_seconds", kind.seconds.load},
                      {"compute_seconds", kind.seconds.compute},
                      {"collective_seconds", kind.seconds.collective},
                      {"store_seconds", kind.seconds.store},
                      {"stall_seconds", kind.seconds.stall},
                      {"idle_seconds", kind.seconds.idle},
                      {"seconds", kind.seconds.elapsed()}});
  }
  nlohmann::ordered_json tiers = nlohmann::ordered_json::array();
  for (const Tier& tier : tiers_of(report)) tiers.push_back(json_of(tier));
  return {{"device_peak_bytes", report.device_peak_bytes},
          {"device_lower_bound_bytes", report.device_lower_bound_bytes},
          {"eval_device_peak_bytes", report.eval.device_bytes},
          {"eval_micro_batch_size", report.eval.micro_batch_size},
          {"remote_bytes", report.remote_bytes},
          {"remote_held_bytes", held_json(report.use.remote, run::kRemoteContentNames)},
          {"host_bytes", report.use.host_bytes()},
          {"tiers", tiers},
          {"loaded_bytes", report.loaded_bytes},
          {"stored_bytes", report.stored_bytes},
          {"flops", report.flops},
          {"predicted_step_seconds", report.step_seconds},
          {"predicted_samples_per_second", report.samples_per_second()},
          {"pipeline", json_of(report.pipeline)},
          {"phases", phases}};
}

}  // namespace phasor::run
