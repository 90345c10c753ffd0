#include <algorithm>
#include <fmt/format.h>

#include "engine/program/distinct_phases.h"
#include "engine/program/memory/occupants.h"
#include "models/plan/device_choice.h"

namespace phasor::run {

namespace {

// At the fullest moment of the program, whose phase is `phase`.
BytesByContent held_at_peak(const PlannedRun& run, std::string& phase) {
  const std::vector<Phase> phases = distinct_phases(run.program);
  const std::vector<Occupant> occupants = find_occupants(run.program, run.plan, phases);
  const std::vector<FullestMoment> moments = fullest_moments(occupants, phases);
  const auto fullest = std::ranges::max_element(moments, {}, &FullestMoment::bytes);
  phase = phases[static_cast<std::size_t>(fullest - moments.begin())].name;
  BytesByContent held{};
  for (const Occupant& occupant : occupants) {
    if (occupant.begin > fullest->step || occupant.end <= fullest->step) continue;
    held[static_cast<std::size_t>(content_of(run.program, occupant))] += occupant.bytes;
  }
  return held;
}

struct Change {
  std::string text;
  std::int64_t peak_bytes = 0;
};

// The peak with one thing changed, where the configuration is still sound.
void try_change(std::vector<Change>& changes, const std::string& text, const RunConfig& changed) {
  try {
    changes.push_back({text, plan_run(shallow_run(changed)).plan.peak_bytes});
  } catch (const UserError&) {
  }
}

// The smallest step in each direction that fits, else the furthest that is worth telling.
std::vector<Change> single_changes(const RunConfig& config, std::int64_t peak) {
  std::vector<Change> changes;
  const std::int64_t budget = config.execution.device_memory.bytes;
  const auto try_until_it_fits = [&](auto&& values, auto&& apply, const char* key) {
    std::vector<Change> tried;
    for (const auto value : values) {
      RunConfig changed = config;
      apply(changed, value);
      try_change(tried, fmt::format("execution.{} {}", key, value), changed);
      if (!tried.empty() && tried.back().peak_bytes <= budget) break;
    }
    const auto best = std::ranges::min_element(tried, {}, &Change::peak_bytes);
    if (best != tried.end() && best->peak_bytes < peak) changes.push_back(*best);
  };
  const ExecutionConfig& execution = config.execution;
  if (execution.recompute == Recompute::none) {
    RunConfig changed = config;
    changed.execution.recompute = Recompute::layer;
    try_change(changes, "execution.recompute layer", changed);
  }
  std::vector<int> depths;
  for (int depth = execution.prefetch_depth - 1; depth >= 0; --depth) depths.push_back(depth);
  try_until_it_fits(
      depths, [](RunConfig& c, int depth) { c.execution.prefetch_depth = depth; }, "prefetch_depth");
  std::vector<std::int64_t> factors, sizes, replicas;
  if (execution.mode == Mode::phased) {
    for (std::int64_t factor = 2; factor <= 64; factor *= 2) {
      if (factor > execution.embedding_serialization_factor) factors.push_back(factor);
    }
  }
  try_until_it_fits(
      factors, [](RunConfig& c, std::int64_t factor) { c.execution.embedding_serialization_factor = factor; },
      "embedding_serialization_factor");
  for (std::int64_t size = execution.micro_batch_size - 1; size >= 1; --size) sizes.push_back(size);
  try_until_it_fits(
      sizes, [](RunConfig& c, std::int64_t size) { c.execution.micro_batch_size = size; }, "micro_batch_size");
  for (std::int64_t count = 2 * execution.data_parallel; count <= 16; count *= 2) replicas.push_back(count);
  try_until_it_fits(
      replicas, [](RunConfig& c, std::int64_t count) { c.execution.data_parallel = static_cast<int>(count); },
      "data_parallel");
  if (execution.mode == Mode::monolithic) {
    RunConfig changed = config;
    changed.execution.mode = Mode::phased;
    try_change(changes, "execution.mode phased", changed);
  }
  std::erase_if(changes, [&](const Change& change) { return change.peak_bytes >= peak; });
  std::ranges::stable_partition(changes, [&](const Change& change) { return change.peak_bytes <= budget; });
  return changes;
}

}  // namespace

std::string refusal(const RunConfig& config, const PlannedRun& run) {
  const std::int64_t budget = config.execution.device_memory.bytes, peak = run.plan.peak_bytes;
  std::string phase;
  const BytesByContent held = held_at_peak(run, phase);
  std::string text = fmt::format(
      "execution.device_memory {:.1f} MiB is too little: the plan takes {:.1f} MiB. At its peak, in '{}', it holds\n",
      mebibytes(budget), mebibytes(peak), phase);
  std::vector<std::size_t> order(held.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::stable_sort(order, std::ranges::greater{}, [&](std::size_t i) { return held[i]; });
  for (std::size_t i : order) {
    if (mebibytes(held[i]) >= 0.05)
      text += fmt::format("  {:<44} {:>10.1f} MiB\n", kContentNames[i], mebibytes(held[i]));
  }
  const std::vector<Change> changes = single_changes(config, peak);
  text += changes.empty() ? "No single change takes less." : "With one change the plan takes\n";
  for (const Change& change : changes) {
    text += fmt::format("  {:<44} {:>10.1f} MiB{}\n", change.text, mebibytes(change.peak_bytes),
                        change.peak_bytes <= budget ? "  fits" : "");
  }
  if (text.back() == '\n') text.pop_back();
  return text;
}

}  // namespace phasor::run
