#include "models/plan/refusal.h"

#include <algorithm>
#include <fmt/ranges.h>

#include "engine/base/byte_size.h"
#include "engine/program/distinct_phases.h"
#include "engine/program/memory/byte_text.h"
#include "engine/program/memory/held_bytes.h"
#include "models/plan/planned_run.h"
#include "models/plan/single_changes.h"
#include "models/plan/small_run.h"

namespace phasor::run {

namespace {

struct Line {
  std::string text;
  std::int64_t bytes = 0;
};

template <std::size_t count>
std::vector<Line> lines_of(const std::array<std::int64_t, count>& bytes,
                           const std::array<std::string_view, count>& names) {
  std::vector<Line> lines;
  for (std::size_t i = 0; i < count; ++i) lines.push_back({std::string(names[i]), bytes[i]});
  return lines;
}

std::string text_of(const Line& line, const char* remark = "") {
  return fmt::format("  {:<44} {:>10.1f} MiB{}\n", line.text, mebibytes(line.bytes), remark);
}

// What holds the room, largest first; what shows as 0.0 MiB does not count.
std::string table_of(std::vector<Line> lines) {
  std::ranges::stable_sort(lines, std::ranges::greater{}, &Line::bytes);
  std::string text;
  for (const Line& line : lines) {
    if (mebibytes(line.bytes) >= 0.05) text += text_of(line);
  }
  return text;
}

// A tier as it is told of: how many bytes of it a run takes, and how many there are.
struct Tier {
  std::function<std::int64_t(const ResolvedRun&)> bytes_of;
  std::int64_t taken = 0, budget = 0;
};

// Of each group the smallest step that fits, else the furthest that helps.
std::string changes_text(const Tier& tier, const ChangeGroups& groups) {
  std::vector<Line> told;
  for (const std::vector<Change>& group : groups) {
    Line best{.text = "", .bytes = tier.taken};
    for (const Change& change : group) {
      const std::int64_t bytes = tier.bytes_of(change.run);
      if (bytes < best.bytes) best = {change.text, bytes};
      if (best.bytes <= tier.budget) break;
    }
    if (!best.text.empty()) told.push_back(best);
  }
  const auto fits = [&](const Line& line) { return line.bytes <= tier.budget; };
  std::stable_partition(told.begin(), told.end(), fits);
  std::string text = told.empty() ? "No single change takes less.\n" : "With one change the plan takes\n";
  for (const Line& line : told) text += text_of(line, fits(line) ? "  fits" : "");
  return text;
}

// The phase that takes most of the device, and what it holds at its fullest moment.
struct FullestPhase {
  std::string name;
  BytesByContent held{};
};
FullestPhase fullest_phase(const Program& program, const ProgramPlan& plan) {
  const std::vector<Phase> phases = distinct_phases(program);
  const std::vector<Occupant> occupants = find_occupants(program, plan, phases);
  const std::vector<FullestMoment> moments = fullest_moments(occupants, phases);
  const auto fullest = std::ranges::max_element(moments, {}, &FullestMoment::bytes);
  return {.name = phases[static_cast<std::size_t>(fullest - moments.begin())].name,
          .held = held_bytes(program, occupants, fullest->step)};
}

std::string device_refusal(const ResolvedRun& run, const MemoryUse& use, std::int64_t budget) {
  const PlannedRun planned = plan_run(small_run(run));
  const int device = planned.fullest();
  const FullestPhase fullest = fullest_phase(planned.program(device), planned.plan(device));
  const Tier tier{[](const ResolvedRun& changed) { return plan_run(small_run(changed)).peak_bytes(); },
                  use.device_bytes, budget};
  return fmt::format("execution.device_memory {} is too little: the plan{} takes {}. At its peak, in '{}', it holds\n",
                     byte_text(budget), planned.plans.size() > 1 ? fmt::format(" of device {}", device) : "",
                     byte_text(use.device_bytes), fullest.name) +
         table_of(lines_of(fullest.held, kContentNames)) + changes_text(tier, changes_for_device(run));
}

std::string host_refusal(const ResolvedRun& run, const MemoryUse& use, const Budgets& budgets) {
  const Tier tier{[](const ResolvedRun& changed) { return memory_use(changed).host_bytes(); }, use.host_bytes(),
                  *budgets.host};
  std::vector<Line> lines;
  if (!use.remote_in_files) lines = lines_of(use.remote, kRemoteContentNames);
  lines.push_back({"device memory of all replicas, and the program", use.process_bytes});
  return fmt::format("host memory: {}, all that {} leaves, are too little: the run takes {}. It holds\n",
                     byte_text(tier.budget), budgets.host_limit, byte_text(tier.taken)) +
         table_of(lines) + changes_text(tier, changes_for_remote(run));
}

std::string file_refusal(const ResolvedRun& run, const MemoryUse& use, std::int64_t budget) {
  const Tier tier{[](const ResolvedRun& changed) { return memory_use(changed).file_bytes(); }, use.file_bytes(),
                  budget};
  return fmt::format(
             "execution.remote.path '{}': {}, all that the disk has left, are too little: remote memory takes {}. It "
             "holds\n",
             run.store.path, byte_text(budget), byte_text(tier.taken)) +
         table_of(lines_of(use.remote, kRemoteContentNames)) + changes_text(tier, changes_for_remote(run));
}

}  // namespace

std::string refusal(const ResolvedRun& run, const MemoryUse& use, const Budgets& budgets) {
  std::string text;
  if (!fits_device(use, budgets)) text += device_refusal(run, use, *budgets.device);
  if (!fits_host(use, budgets)) text += host_refusal(run, use, budgets);
  if (!fits_files(use, budgets)) text += file_refusal(run, use, *budgets.files);
  if (!text.empty()) text.pop_back();  // the line's end
  return text;
}

std::string forward_refusal(const ResolvedRun& run, const ForwardPrograms& programs) {
  BytesByContent held{};
  std::vector<std::string> phases;
  for (const ForwardArena& arena : fullest_arenas(run, programs)) {
    const FullestPhase fullest = fullest_phase(arena.program, arena.plan);
    phases.push_back(fmt::format("'{}'", fullest.name));
    for (std::size_t i = 0; i < held.size(); ++i) held[i] += fullest.held[i];
  }
  const std::int64_t budget = run.execution.device_memory;
  const Tier tier{[&](const ResolvedRun& changed) { return forward_bytes(changed, programs); },
                  forward_bytes(run, programs), budget};
  std::string text = fmt::format(
      "execution.device_memory {} is too little: a pass of the trained model takes {}, in micro-batches of {}. At its "
      "peak, in {}, it holds\n",
      byte_text(budget), byte_text(tier.taken), run.micro_batch_size, fmt::join(phases, " and "));
  text += table_of(lines_of(held, kContentNames)) + changes_text(tier, changes_for_passes(run));
  text.pop_back();  // the line's end
  return text;
}

}  // namespace phasor::run
