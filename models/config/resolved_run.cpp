#include "models/config/resolved_run.h"

#include <algorithm>
#include <limits>
#include <thread>

#include "models/config/cache_folder.h"
#include "models/fields/stage_ranges.h"

namespace phasor::run {

namespace {

int deflate_level(const std::string& compression) {
  if (compression == "none") return 0;
  return compression == "deflate" ? 1 : compression.back() - '0';
}

StoreOptions store_options(const ExecutionConfig& execution) {
  StoreOptions store{.in_files = execution.remote_store == "file", .path = execution.remote_path};
  if (execution.remote_bandwidth.bytes > 0) {
    store.bytes_per_second = static_cast<double>(execution.remote_bandwidth.bytes);
    store.latency_seconds = 0;
  }
  if (execution.remote_latency > 0) store.latency_seconds = execution.remote_latency;
  return store;
}

int threads_per_replica(const ExecutionConfig& execution) {
  if (execution.threads_per_replica > 0) return execution.threads_per_replica;
  const int cores = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  return std::max(1, cores / execution.data_parallel / execution.pipeline.devices);
}

PipelineOptions pipeline_options(const PipelineConfig& pipeline) {
  PipelineOptions options{.devices = pipeline.devices,
                          .schedule = pipeline.schedule,
                          .parts = pipeline.parts,
                          .group = pipeline.group,
                          .first_instances = parse_stage_ranges(pipeline.stages)};
  if (options.first_instances.empty()) return options;
  options.instances = options.first_instances.back();
  options.first_instances.pop_back();
  return options;
}

// Whether kernels can use remote memory as they use the device's: nothing is said of how long it takes to get there.
bool is_addressable(const ExecutionConfig& execution) {
  return execution.remote_store == "memory" && execution.remote_bandwidth.bytes == 0 && execution.remote_latency == 0;
}

ExecutionOptions execution_options(const RunConfig& config) {
  const ExecutionConfig& execution = config.execution;
  // Memory is copied by the replica's whole team, faster than a thread could beside it; files are waited for.
  const int best_depth = execution.remote_store == "file" ? 1 : 0;
  const int depth = execution.prefetch_depth < 0 ? best_depth : execution.prefetch_depth;
  return {.mode = execution.mode,
          .replicas = execution.data_parallel,
          .accumulation = static_cast<int>(config.training.global_batch_size / execution.data_parallel /
                                           execution.micro_batch_size),
          .device_iterations = execution.device_iterations,
          .rts_threshold =
              execution.replicated_tensor_sharding ? execution.rts_threshold : std::numeric_limits<std::int64_t>::max(),
          .recompute = execution.recompute.value_or(Recompute::none),
          .kept_stages = static_cast<int>(execution.kept_layers),
          .reproducible = execution.reproducible,
          .threads_per_replica = threads_per_replica(execution),
          .precision = config.precision,
          .products = execution.products,
          .pack_weights = execution.pack_weights.value_or(true),
          .device_memory = execution.device_memory.bytes,
          .prefetch_depth = depth,
          .loop_overlap = execution.loop_overlap < 0 ? depth : execution.loop_overlap,
          .zero_copy = execution.zero_copy && is_addressable(execution),
          .pipeline = pipeline_options(execution.pipeline)};
}

// Room for many short samples; what needs more of it takes another micro-batch.
std::int64_t samples_of_sequence(const RunConfig& config) {
  constexpr std::int64_t kTokensOfShortSample = 8;
  if (!task_options::packs(config.data.task)) return 1;
  return std::max<std::int64_t>(1, architecture::row_tokens(config.model) / kTokensOfShortSample);
}

}  // namespace

ResolvedRun settle_defaults(const RunConfig& config) {
  constexpr int kStepsForReport = 3;  // to choose the one of median duration from
  validate(config);
  const ExecutionConfig& execution = config.execution;
  ResolvedRun run{.model = config.model,
                  .model_from = config.model_from,
                  .seed = config.seed,
                  .data = config.data,
                  .training = config.training,
                  .execution = execution_options(config),
                  .micro_batch_size = execution.micro_batch_size,
                  .samples_of_sequence = samples_of_sequence(config),
                  .loss_scaling = execution.loss_scaling,
                  .store = store_options(execution),
                  .checkpoint = config.checkpoint,
                  .deflate_level = deflate_level(config.checkpoint.compression),
                  .watch = config.watch};
  run.depth_open = execution.prefetch_depth < 0;
  run.loops_open = execution.loop_overlap < 0;
  run.packing_open = !execution.pack_weights.has_value();
  if (execution.host_memory.bytes > 0) run.host_memory = execution.host_memory.bytes;
  run.data.cache = cache_directory(config.data.cache);
  const std::string& optimizer = config.training.optimizer_name;
  run.training.optimizer.decoupled_weight_decay = optimizer != "adam" && optimizer != "sgd";
  run.training.optimizer.kind = optimizer == "lamb"        ? OptimizerKind::lamb
                                : optimizer == "sgd"       ? OptimizerKind::descent
                                : optimizer == "adafactor" ? OptimizerKind::adafactor
                                                           : OptimizerKind::adam;
  run.phased_table_slices = std::max<std::int64_t>(1, execution.embedding_serialization_factor);
  if (execution.mode == Mode::phased) {
    run.table_slices = run.phased_table_slices;
    run.slices_open = execution.embedding_serialization_factor == 0;
  }
  if (run.watch.report && run.watch.trace == 0) run.watch.trace = kStepsForReport;
  return run;
}

}  // namespace phasor::run
