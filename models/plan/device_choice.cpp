#include "models/plan/device_choice.h"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <optional>

#include "engine/base/error.h"
#include "engine/program/simulate/simulator.h"
#include "models/architecture/model_config.h"

namespace phasor::run {

namespace {

constexpr std::int64_t kMoreBytes = std::int64_t{100} << 20;

// prefetch_depth and loop_overlap, those that hide the most first.
constexpr std::pair<int, int> kDepths[] = {{2, 2}, {2, 1}, {1, 1}, {1, 0}, {0, 1}, {0, 0}};

struct Open {
  bool recompute = false, depth = false, loops = false, slices = false;
};

Open open_choices(const RunConfig& config) {
  const ExecutionConfig& execution = config.execution;
  const bool phased = execution.mode == Mode::phased;
  return {.recompute = execution.recompute == Recompute::automatic,
          // From memory nothing is gained by running ahead.
          .depth = execution.prefetch_depth < 0 && execution.remote_store == "file",
          .loops = execution.prefetch_depth < 0 && execution.remote_store == "file" && execution.loop_overlap < 0,
          .slices = execution.embedding_serialization_factor == 0 && phased};
}

struct Candidate {
  RunConfig config;
  std::int64_t peak_bytes = 0;
  std::optional<double> seconds;  // predicted
};

// With as few slices of the embedding as fit into `budget`; nothing where it never fits.
std::optional<Candidate> with_fewest_slices(RunConfig config, bool may_slice, std::int64_t budget) {
  constexpr std::int64_t kMostSlices = 64;
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  for (std::int64_t slices = 1; slices <= kMostSlices; slices *= 2) {
    if (may_slice) config.execution.embedding_serialization_factor = slices;
    const std::int64_t peak = plan_run(shallow_run(config)).plan.peak_bytes;
    if (budget == 0 || peak <= budget) return Candidate{config, peak, {}};
    if (!may_slice || peak >= least || slices * 2 > architecture::table_rows(config.model)) break;
    least = peak;
  }
  return {};
}

// With as many layers that keep their activations as fit into `budget`; `config`, which fits, keeps none.
Candidate keeping_most_layers(const RunConfig& config, std::int64_t peak, std::int64_t budget) {
  Candidate best{config, peak, {}};
  std::int64_t fits = 0, too_many = architecture::layers(config.model) + 1;
  while (too_many - fits > 1) {
    Candidate candidate = best;
    candidate.config.execution.kept_layers = fits + (too_many - fits) / 2;
    candidate.peak_bytes = plan_run(shallow_run(candidate.config)).plan.peak_bytes;
    if (candidate.peak_bytes <= budget) {
      fits = candidate.config.execution.kept_layers;
      best = std::move(candidate);
    } else {
      too_many = candidate.config.execution.kept_layers;
    }
  }
  return best;
}

// Every choice that fits, those first that people would try first.
std::vector<Candidate> fitting(const RunConfig& config, const Open& open, std::int64_t budget) {
  std::vector<Candidate> candidates;
  for (const Recompute recompute : {Recompute::none, Recompute::layer}) {
    for (const auto& [depth, loop_overlap] : kDepths) {
      if (!open.loops && depth != loop_overlap) continue;
      RunConfig candidate = config;
      if (open.recompute) candidate.execution.recompute = recompute;
      if (open.depth) candidate.execution.prefetch_depth = depth;
      if (open.loops) candidate.execution.loop_overlap = loop_overlap;
      if (auto fits = with_fewest_slices(candidate, open.slices, budget)) candidates.push_back(*std::move(fits));
      if (!open.depth) break;
    }
    if (!open.recompute) break;
  }
  // What phases keep lies in remote memory: there one layer is like another.
  const bool between = config.execution.mode == Mode::monolithic && candidates.size() == 1 &&
                       candidates.front().config.execution.recompute == Recompute::layer;
  if (open.recompute && between) {
    candidates.front() = keeping_most_layers(candidates.front().config, candidates.front().peak_bytes, budget);
  }
  return candidates;
}

// Of a step: every further turn of layers takes as long as the last one did.
double predicted_seconds(const RunConfig& config, const RatesOf& rates_of) {
  const RunConfig shallow = shallow_run(config), deeper = shallow_run(config, kLayersOfATurn);
  const PlannedRun run = plan_run(shallow);
  const Rates rates = rates_of(shallow, run);
  const double seconds = simulate(run.program, rates).step_seconds;
  const int left_out = architecture::layers(config.model) - architecture::layers(shallow.model);
  if (left_out == 0) return seconds;
  const double of_a_turn = simulate(plan_run(deeper).program, rates).step_seconds - seconds;
  return seconds + of_a_turn * static_cast<double>(left_out / kLayersOfATurn);
}

const Candidate& fastest(std::vector<Candidate>& candidates, const RatesOf& rates_of) {
  if (candidates.size() == 1) return candidates.front();
  for (Candidate& candidate : candidates) candidate.seconds = predicted_seconds(candidate.config, rates_of);
  return *std::ranges::min_element(candidates, {}, [](const Candidate& c) { return *c.seconds; });
}

std::string text_of(const RunConfig& config, const Open& open) {
  std::string text;
  const auto add = [&](bool shown, const std::string& item) {
    if (shown) text += (text.empty() ? "" : ", ") + item;
  };
  const ExecutionConfig& execution = config.execution;
  add(open.recompute, execution.recompute == Recompute::none ? "recompute none" : "recompute layer");
  add(open.recompute && execution.kept_layers > 0, fmt::format("kept_layers {}", execution.kept_layers));
  add(open.depth, fmt::format("prefetch_depth {}", execution.prefetch_depth));
  add(open.loops, fmt::format("loop_overlap {}", execution.loop_overlap));
  add(open.slices, fmt::format("embedding_serialization_factor {}", execution.embedding_serialization_factor));
  return text;
}

std::string note_of(const Candidate& chosen, const Candidate& with_more, const Open& open, std::int64_t budget) {
  const auto seconds = [](const Candidate& c) {
    return c.seconds ? fmt::format(", {:.{}f} s a step", *c.seconds, *c.seconds < 10 ? 2 : 1) : "";
  };
  const std::string mine = text_of(chosen.config, open), other = text_of(with_more.config, open);
  const std::string more =
      mine == other ? "would change nothing" : fmt::format("would allow {}{}", other, seconds(with_more));
  return fmt::format("device memory {:.1f} MiB: {}; peak {:.1f} MiB{}. 100 MiB more {}", mebibytes(budget), mine,
                     mebibytes(chosen.peak_bytes), seconds(chosen), more);
}

}  // namespace

DeviceChoice choose_for_device(const RunConfig& config, const RatesOf& rates_of) {
  const std::int64_t budget = config.execution.device_memory.bytes;
  const Open open = open_choices(config);
  RunConfig plain = config;
  if (open.recompute) plain.execution.recompute = Recompute::none;
  if (plain.execution.embedding_serialization_factor == 0) plain.execution.embedding_serialization_factor = 1;
  if (budget == 0) return {plain, ""};

  std::vector<Candidate> candidates = fitting(config, open, budget);
  if (candidates.empty()) {
    if (open.recompute) plain.execution.recompute = Recompute::layer;
    if (open.depth) plain.execution.prefetch_depth = 0;
    throw DeviceTooSmall(refusal(plain, plan_run(plain)));
  }
  if (!open.recompute && !open.depth && !open.slices) return {plain, ""};
  std::vector<Candidate> with_more = fitting(config, open, budget + kMoreBytes);
  if (candidates.size() == 1 && with_more.size() > 1) {
    candidates.front().seconds = predicted_seconds(candidates.front().config, rates_of);
  }
  const Candidate& chosen = fastest(candidates, rates_of);
  RunConfig decided = chosen.config;
  if (decided.execution.embedding_serialization_factor == 0) decided.execution.embedding_serialization_factor = 1;
  return {decided, note_of(chosen, fastest(with_more, rates_of), open, budget)};
}

}  // namespace phasor::run
