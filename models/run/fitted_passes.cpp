#include "models/run/fitted_passes.h"

#include <algorithm>
#include <fmt/format.h>

#include "engine/program/memory/byte_text.h"
#include "models/architecture/model_config.h"
#include "models/plan/refusal.h"
#include "models/plan/resolve_run.h"

namespace phasor::run {

namespace {

FittedPasses passes_of(const ResolvedRun& run, const PassRequest& request, std::int64_t largest) {
  FittedPasses passes{.run = run, .sizes = pass_sizes(request.rows, largest, run.execution.replicas, request.devices)};
  passes.run.micro_batch_size = passes.sizes.micro_batch_size;
  passes.run.execution.accumulation = passes.sizes.micro_batches;
  return passes;
}

// Packed, and with weights as they lie.
void add_way(const ResolvedRun& way, std::vector<ResolvedRun>& ways) {
  ways.push_back(way);
  if (!way.packing_open || !way.execution.pack_weights) return;
  ways.push_back(way);
  ways.back().execution.pack_weights = false;
}

// What gives the same bits, what costs the least time first.
std::vector<ResolvedRun> ways_of(const ResolvedRun& run) {
  constexpr std::int64_t kMostSlices = 64;
  const std::int64_t most =
      run.slices_open ? std::min(kMostSlices, architecture::table_rows(run.model)) : run.table_slices;
  std::vector<ResolvedRun> ways;
  for (ResolvedRun way = run; way.table_slices == run.table_slices || way.table_slices <= most; way.table_slices *= 2) {
    add_way(way, ways);
    ExecutionOptions behind = way.execution;
    if (run.depth_open) behind.prefetch_depth = 0;
    if (run.depth_open && run.loops_open) behind.loop_overlap = 0;
    if (behind.prefetch_depth == way.execution.prefetch_depth) continue;
    ResolvedRun later = way;
    later.execution = behind;
    add_way(later, ways);
  }
  return ways;
}

bool fits(const FittedPasses& passes, const ForwardPrograms& programs) {
  return forward_bytes(passes.run, programs) <= passes.run.execution.device_memory;
}

// With the largest micro-batches that fit, of those that a search by halves comes upon; else of single rows.
FittedPasses with_smaller_micro_batches(const ResolvedRun& way, const PassRequest& request,
                                        const ForwardPrograms& programs) {
  FittedPasses best = passes_of(way, request, 1);
  best.fit = fits(best, programs);
  std::int64_t largest = 1, too_large = request.largest;
  while (best.fit && too_large - largest > 1) {
    const std::int64_t size = largest + (too_large - largest) / 2;
    FittedPasses passes = passes_of(way, request, size);
    if (fits(passes, programs)) {
      largest = size;
      best = std::move(passes);
    } else {
      too_large = size;
    }
  }
  return best;
}

// What was chosen otherwise than in `asked`; "" where nothing was.
std::string choices_text(const FittedPasses& passes, const FittedPasses& asked) {
  const ResolvedRun &mine = passes.run, &theirs = asked.run;
  std::string text;
  const auto add = [&](const char* what, auto value, auto before) {
    if (value != before) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", what, value);
  };
  add("micro-batches of", mine.micro_batch_size, theirs.micro_batch_size);
  add("prefetch_depth", mine.execution.prefetch_depth, theirs.execution.prefetch_depth);
  add("loop_overlap", mine.execution.loop_overlap, theirs.execution.loop_overlap);
  add("pack_weights", mine.execution.pack_weights, theirs.execution.pack_weights);
  add("embedding_serialization_factor", mine.table_slices, theirs.table_slices);
  return text;
}

}  // namespace

FittedPasses find_passes(const ResolvedRun& run, const PassRequest& request, const ForwardPrograms& programs) {
  if (run.execution.device_memory == 0) return passes_of(run, request, request.largest);
  const std::vector<ResolvedRun> ways = ways_of(run);
  for (const ResolvedRun& way : ways) {
    FittedPasses passes = passes_of(way, request, request.largest);
    if (fits(passes, programs)) return passes;
  }
  FittedPasses least;
  std::int64_t least_bytes = 0;
  for (const ResolvedRun& way : ways) {
    FittedPasses passes = with_smaller_micro_batches(way, request, programs);
    if (passes.fit) return passes;
    const std::int64_t bytes = forward_bytes(passes.run, programs);
    if (least_bytes > 0 && bytes >= least_bytes) continue;
    least_bytes = bytes;
    least = std::move(passes);
  }
  return least;
}

EvalReport report_eval(const ResolvedRun& run) {
  constexpr std::int64_t kManyRows = 1 << 20;
  const PassRequest request{.rows = kManyRows * run.execution.replicas,
                            .largest = run.micro_batch_size,
                            .devices = run.execution.pipeline.devices};
  const FittedPasses passes = find_passes(run, request, forward_programs);
  return {.micro_batch_size = passes.run.micro_batch_size, .device_bytes = forward_bytes(passes.run, forward_programs)};
}

FittedPasses fit_passes(const ResolvedRun& run, const PassRequest& request, const ForwardPrograms& programs,
                        io::Listener& listener) {
  FittedPasses passes = find_passes(run, request, programs);
  if (!passes.fit) throw MemoryTooSmall(forward_refusal(passes.run, programs));
  const std::string choices = choices_text(passes, passes_of(run, request, request.largest));
  if (!choices.empty()) {
    listener.note(fmt::format("device memory {}: {}; peak of a pass {}", byte_text(run.execution.device_memory),
                              choices, byte_text(forward_bytes(passes.run, programs))));
  }
  return passes;
}

}  // namespace phasor::run
