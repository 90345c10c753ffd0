#include "models/plan/single_changes.h"

#include <algorithm>
#include <fmt/format.h>

#include "models/architecture/model_config.h"
#include "models/config/run_limits.h"

namespace phasor::run {

namespace {

// The run with another division of its global batch; false where that is none.
bool divide(ResolvedRun& run, std::int64_t replicas, std::int64_t micro_batch_size) {
  const std::int64_t together = replicas * micro_batch_size, batch = run.training.global_batch_size;
  if (batch % together != 0 || batch / together > kMostCalls / (architecture::layers(run.model) + 2)) return false;
  run.execution.threads_per_replica =
      std::max(1, static_cast<int>(run.all_threads() / run.execution.pipeline.devices / replicas));
  run.execution.replicas = static_cast<int>(replicas);
  run.execution.accumulation = static_cast<int>(batch / together);
  run.micro_batch_size = micro_batch_size;
  return true;
}

std::vector<Change> recomputing(const ResolvedRun& run) {
  if (run.execution.recompute != Recompute::layer) {
    Change change{"execution.recompute layer", run};
    change.run.execution.recompute = Recompute::layer;
    return {change};
  }
  if (run.execution.kept_stages == 0) return {};
  Change change{"execution.kept_layers 0", run};
  change.run.execution.kept_stages = 0;
  return {change};
}

std::vector<Change> shorter_prefetches(const ResolvedRun& run) {
  std::vector<Change> changes;
  for (int depth = run.execution.prefetch_depth - 1; depth >= 0; --depth) {
    Change change{fmt::format("execution.prefetch_depth {}", depth), run};
    ExecutionOptions& execution = change.run.execution;
    if (execution.loop_overlap == execution.prefetch_depth) {  // which may have been said, and would stay
      execution.loop_overlap = depth;
      change.text += fmt::format(", execution.loop_overlap {}", depth);
    }
    execution.prefetch_depth = depth;
    changes.push_back(std::move(change));
  }
  return changes;
}

std::vector<Change> more_slices(const ResolvedRun& run) {
  constexpr std::int64_t kMostSlices = 64;
  std::vector<Change> changes;
  if (run.execution.mode == Mode::monolithic || run.training.optimizer.kind == OptimizerKind::adafactor) return changes;
  for (std::int64_t slices = 2; slices <= std::min(kMostSlices, architecture::table_rows(run.model)); slices *= 2) {
    if (slices <= run.table_slices) continue;
    changes.push_back({fmt::format("execution.embedding_serialization_factor {}", slices), run});
    changes.back().run.table_slices = slices;
  }
  return changes;
}

std::vector<Change> weights_as_they_lie(const ResolvedRun& run) {
  if (!run.execution.pack_weights) return {};
  Change change{"execution.pack_weights false", run};
  change.run.execution.pack_weights = false;
  return {change};
}

std::vector<Change> smaller_micro_batches(const ResolvedRun& run) {
  std::vector<Change> changes;
  for (std::int64_t size = run.micro_batch_size - 1; size >= 1; --size) {
    Change change{fmt::format("execution.micro_batch_size {}", size), run};
    if (divide(change.run, run.execution.replicas, size)) changes.push_back(std::move(change));
  }
  return changes;
}

std::vector<Change> more_replicas(const ResolvedRun& run) {
  constexpr std::int64_t kMostReplicas = 16;
  std::vector<Change> changes;
  for (std::int64_t count = 2 * run.execution.replicas; count <= kMostReplicas; count *= 2) {
    Change change{fmt::format("execution.data_parallel {}", count), run};
    if (!divide(change.run, count, run.micro_batch_size)) continue;
    const int threads = change.run.execution.threads_per_replica;
    if (threads != run.execution.threads_per_replica) {  // which may have been said, and would stay
      change.text += fmt::format(", execution.threads_per_replica {}", threads);
    }
    changes.push_back(std::move(change));
  }
  return changes;
}

std::vector<Change> phases(const ResolvedRun& run) {
  if (run.execution.mode == Mode::phased) return {};
  Change change{"execution.mode phased", run};
  change.run.execution.mode = Mode::phased;
  change.run.table_slices = run.phased_table_slices;  // which may have been said, and would stay
  return {change};
}

// Rows for fewer samples; the micro-batches stay as they are.
std::vector<Change> smaller_batches(const ResolvedRun& run) {
  std::vector<Change> changes;
  ResolvedRun smaller = run;
  while (smaller.execution.accumulation % 2 == 0) {
    smaller.execution.accumulation /= 2;
    smaller.training.global_batch_size /= 2;
    changes.push_back({fmt::format("training.global_batch_size {}", smaller.training.global_batch_size), smaller});
  }
  return changes;
}

std::vector<Change> half_precision(const ResolvedRun& run) {
  if (run.execution.precision == Precision::bfloat16) return {};
  Change change{"model.precision bfloat16", run};
  change.run.execution.precision = Precision::bfloat16;
  return {change};
}

std::vector<Change> files(const ResolvedRun& run) {
  if (run.store.in_files) return {};
  Change change{"execution.remote.store file", run};
  change.run.store.in_files = true;
  change.run.execution.zero_copy = false;
  return {change};
}

}  // namespace

ChangeGroups changes_for_device(const ResolvedRun& run) {
  return {recomputing(run), shorter_prefetches(run),    weights_as_they_lie(run),
          more_slices(run), smaller_micro_batches(run), more_replicas(run),
          phases(run)};
}

ChangeGroups changes_for_passes(const ResolvedRun& run) {
  return {shorter_prefetches(run), weights_as_they_lie(run), more_slices(run), phases(run)};
}

ChangeGroups changes_for_remote(const ResolvedRun& run) {
  return {recomputing(run), smaller_batches(run), half_precision(run), files(run)};
}

}  // namespace phasor::run
