#include "models/plan/candidates.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <limits>

#include "engine/program/simulate/simulator.h"
#include "models/architecture/model_config.h"
#include "models/plan/planned_run.h"
#include "models/plan/small_run.h"

namespace phasor::run {

namespace {

// How far transfers run ahead: prefetch_depth and loop_overlap.
struct Ahead {
  int phases = 0, calls = 0;
};

std::vector<Recompute> recomputes(const ResolvedRun& run, const OpenChoices& open) {
  if (!open.recompute) return {run.execution.recompute};
  return {Recompute::none, Recompute::layer};
}

// Those that hide the most first.
std::vector<Ahead> distances(const ResolvedRun& run, const OpenChoices& open) {
  const int phases = run.execution.prefetch_depth, calls = run.execution.loop_overlap;
  if (!open.depth) return {{phases, calls}};
  if (!open.loops) return {{2, calls}, {1, calls}, {0, calls}};
  return {{2, 2}, {2, 1}, {1, 1}, {1, 0}, {0, 1}, {0, 0}};
}

// With as few slices of the table as fit; nothing where it never fits.
std::optional<Candidate> with_fewest_slices(ResolvedRun run, bool may_slice, const Budgets& budgets) {
  constexpr std::int64_t kMostSlices = 64;
  const std::int64_t most = may_slice ? std::min(kMostSlices, architecture::table_rows(run.model)) : run.table_slices;
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  for (; run.table_slices <= most; run.table_slices *= 2) {
    const MemoryUse use = memory_use(run);
    if (fits(use, budgets)) return Candidate{run, use, {}};
    if (use.device_bytes >= least) break;  // slices help no more
    least = use.device_bytes;
  }
  return {};
}

// Packed, and as they lie where that lets a table be in fewer slices, or fit at all: products take longer then.
void add_candidates(ResolvedRun way, const OpenChoices& open, const Budgets& budgets, std::vector<Candidate>& to) {
  const std::optional<Candidate> packed = with_fewest_slices(way, open.slices, budgets);
  if (packed) to.push_back(*packed);
  if (!open.packing || (packed && packed->run.table_slices == way.table_slices)) return;
  way.execution.pack_weights = false;
  std::optional<Candidate> as_they_lie = with_fewest_slices(way, open.slices, budgets);
  if (as_they_lie && (!packed || as_they_lie->run.table_slices < packed->run.table_slices)) {
    to.push_back(*std::move(as_they_lie));
  }
}

Candidate keeping(Candidate candidate, int layers) {
  candidate.run.execution.kept_stages = layers;
  candidate.use = memory_use(candidate.run);
  return candidate;
}

// Resident activations share the arena with everything else: each number of layers has its own plan.
Candidate keeping_most_resident(Candidate best, const Budgets& budgets) {
  int fits_still = 0, too_many = architecture::layers(best.run.model) + 1;
  while (too_many - fits_still > 1) {
    const int layers = fits_still + (too_many - fits_still) / 2;
    Candidate candidate = keeping(best, layers);
    if (fits(candidate.use, budgets)) {
      fits_still = layers;
      best = std::move(candidate);
    } else {
      too_many = layers;
    }
  }
  return best;
}

// Of phases each layer keeps as much in remote memory as any other, and the device has one at a time: where that has no
// room for a layer that keeps, none will do.
Candidate keeping_most_remote(const Candidate& none, const Budgets& budgets) {
  const ResolvedRun shallow = shallow_run(none.run);
  ResolvedRun keeps_one = shallow, keeps_all = none.run;
  keeps_one.execution.kept_stages = 1;
  keeps_all.execution.recompute = Recompute::none;
  if (!fits_device(memory_use(keeps_all), budgets)) return none;
  const std::int64_t of_a_layer = total(remote_bytes(keeps_one)) - total(remote_bytes(shallow));
  const std::int64_t left = none.run.store.in_files ? budgets.files.value_or(0) - none.use.file_bytes()
                                                    : budgets.host.value_or(0) - none.use.host_bytes();
  const std::int64_t layers =
      std::min<std::int64_t>(left / std::max<std::int64_t>(1, of_a_layer), architecture::layers(none.run.model));
  if (layers <= 0) return none;
  Candidate candidate = keeping(none, static_cast<int>(layers));
  return fits(candidate.use, budgets) ? candidate : none;
}

// And what else differs is not how far transfers run ahead.
bool only_recomputing(const std::vector<Candidate>& candidates) {
  return std::ranges::all_of(candidates, [&](const Candidate& c) {
    const ExecutionOptions &execution = c.run.execution, &first = candidates.front().run.execution;
    return execution.recompute == Recompute::layer && execution.prefetch_depth == first.prefetch_depth &&
           execution.loop_overlap == first.loop_overlap;
  });
}

}  // namespace

OpenChoices open_choices(const RunConfig& config) {
  const ExecutionConfig& execution = config.execution;
  const bool limited = execution.device_memory.bytes > 0;
  const bool depth = limited && execution.prefetch_depth < 0 && execution.remote_store == "file";
  return {.recompute = !execution.recompute.has_value(),
          .depth = depth,
          .loops = depth && execution.loop_overlap < 0,
          .slices = limited && execution.embedding_serialization_factor == 0 && execution.mode == Mode::phased &&
                    config.training.optimizer_name != "adafactor" && architecture::table_rows(config.model) > 0,
          .packing = limited && !execution.pack_weights.has_value()};
}

std::vector<Candidate> fitting_candidates(const ResolvedRun& run, const OpenChoices& open, const Budgets& budgets) {
  std::vector<Candidate> candidates;
  for (const Recompute recompute : recomputes(run, open)) {
    for (const Ahead& ahead : distances(run, open)) {
      ResolvedRun way = run;
      way.execution.recompute = recompute;
      way.execution.prefetch_depth = ahead.phases;
      way.execution.loop_overlap = ahead.calls;
      add_candidates(way, open, budgets, candidates);
    }
  }
  if (!open.recompute || architecture::layers(run.model) == 0 || !only_recomputing(candidates)) return candidates;
  for (Candidate& way : candidates) {
    way = run.execution.mode == Mode::monolithic ? keeping_most_resident(std::move(way), budgets)
                                                 : keeping_most_remote(way, budgets);
  }
  return candidates;
}

ResolvedRun least_demanding(ResolvedRun run, const OpenChoices& open) {
  if (open.recompute) run.execution.recompute = Recompute::layer;
  if (open.depth) run.execution.prefetch_depth = 0;
  if (open.loops) run.execution.loop_overlap = 0;
  if (open.packing) run.execution.pack_weights = false;
  return run;
}

// Each layer adds as much once transfers keep their distance from compute, which takes some turns. Micro-batches do
// not, for what waits in a queue grows with them.
double predicted_seconds(const ResolvedRun& run, const RatesOf& rates_of) {
  constexpr std::int64_t kUntilSteady = 8;
  const std::int64_t turns = left_out(run).layers, begun = std::min(turns, kUntilSteady);
  const ResolvedRun shallow = shallow_run(run, begun);
  const Pipeline pipeline = pipeline_of(shallow, stages_of(shallow));
  const Rates rates = rates_of(shallow, pipeline);
  const double seconds = simulate(pipeline, rates).step_seconds;
  if (turns == begun) return seconds;
  const ResolvedRun deeper = shallow_run(run, begun + 1);
  const double of_a_turn = simulate(pipeline_of(deeper, stages_of(deeper)), rates).step_seconds - seconds;
  return seconds + of_a_turn * static_cast<double>(turns - begun);
}

const Candidate& fastest(std::vector<Candidate>& candidates, const RatesOf& rates_of) {
  if (candidates.size() == 1) return candidates.front();
  for (Candidate& candidate : candidates) candidate.seconds = predicted_seconds(candidate.run, rates_of);
  return *std::ranges::min_element(candidates, {}, [](const Candidate& c) { return *c.seconds; });
}

std::string to_string(const ResolvedRun& run, const OpenChoices& open) {
  const ExecutionOptions& execution = run.execution;
  std::vector<std::string> items;
  if (open.recompute) items.push_back(execution.recompute == Recompute::none ? "recompute none" : "recompute layer");
  if (open.recompute && execution.kept_stages > 0)
    items.push_back(fmt::format("kept_layers {}", execution.kept_stages));
  if (open.depth) items.push_back(fmt::format("prefetch_depth {}", execution.prefetch_depth));
  if (open.loops) items.push_back(fmt::format("loop_overlap {}", execution.loop_overlap));
  if (open.packing) items.push_back(fmt::format("pack_weights {}", execution.pack_weights));
  if (open.slices) items.push_back(fmt::format("embedding_serialization_factor {}", run.table_slices));
  return fmt::format("{}", fmt::join(items, ", "));
}

}  // namespace phasor::run
