#include "models/config/run_config.h"

#include <algorithm>
#include <limits>
#include <thread>

#include "engine/base/error.h"
#include "models/architecture/model_config.h"
#include "models/config/run_limits.h"

namespace phasor::run {

RunSizes validate(const RunConfig& config) {
  const auto& [mode, micro_batch_size, data_parallel, threads, sharding, threshold, recompute, kept_layers,
               device_memory, prefetch_depth, loop_overlap, embedding_slices, loss_scaling, reproducible, store, path,
               bandwidth, latency] = config.execution;
  const TrainingConfig& training = config.training;
  check_ranges(config);
  architecture::validate(config.model);
  check_totals(config);
  const std::int64_t together = data_parallel * micro_batch_size;
  check(training.global_batch_size % together == 0,
        "global_batch_size {} is not a multiple of data_parallel × micro_batch_size = {} × {} = {}",
        training.global_batch_size, data_parallel, micro_batch_size, together);
  check(training.optimizer_name == "adam" || training.optimizer_name == "adamw",
        "training.optimizer.name '{}' is unknown; expected adam or adamw", training.optimizer_name);
  check(training.optimizer.beta1 < 1 && training.optimizer.beta2 < 1,
        "training.optimizer.beta1 {} or beta2 {} is outside [0, 1)", training.optimizer.beta1,
        training.optimizer.beta2);
  const int layers = architecture::layers(config.model);
  const std::int64_t rows = architecture::table_rows(config.model);
  check(kept_layers <= layers, "execution.kept_layers {} is outside 0 .. model.layers {}", kept_layers, layers);
  check(kept_layers == 0 || recompute == Recompute::layer,
        "execution.kept_layers {} needs execution.recompute layer, of which they are the exceptions", kept_layers);
  check(
      embedding_slices <= std::max<std::int64_t>(1, rows),
      "execution.embedding_serialization_factor {} is outside 1 .. model.vocab_size {}: it is the number of slices of "
      "the word embedding, of one row at least; 0: as few as fit",
      embedding_slices, rows);
  check(!training.optimizer.stochastic_rounding || config.precision == Precision::bfloat16,
        "training.stochastic_rounding needs model.precision bfloat16; weights in float32 are not rounded");
  check(loss_scaling > 0, "execution.loss_scaling {} is not positive", loss_scaling);
  check(store == "memory" || store == "file", "execution.remote.store '{}' is unknown; expected memory or file", store);
  check(store == "memory" || !path.empty(), "execution.remote.store file needs execution.remote.path, a folder");
  task_options::validate(config.data.task, config.model);
  check(!config.checkpoint.evaluate || !config.data.dev.empty(), "checkpoint.evaluate needs data.dev to score");
  deflate_level(config.checkpoint);

  const int cores = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  return {.accumulation = static_cast<int>(training.global_batch_size / together),
          .threads_per_replica = threads > 0 ? threads : std::max(1, cores / data_parallel),
          .embedding_slices = mode == Mode::monolithic ? 1 : std::max<std::int64_t>(1, embedding_slices)};
}

int deflate_level(const CheckpointConfig& config) {
  const std::string& text = config.compression;
  if (text == "none") return 0;
  if (text == "deflate") return 1;
  const bool leveled = text.size() == 9 && text.starts_with("deflate ") && text[8] >= '1' && text[8] <= '9';
  check(leveled, "checkpoint.compression '{}' is neither none nor deflate with a level of 1 to 9, as in 'deflate 1'",
        text);
  return text[8] - '0';
}

OptimizerOptions optimizer_options(const RunConfig& config) {
  OptimizerOptions options = config.training.optimizer;
  options.decoupled_weight_decay = config.training.optimizer_name == "adamw";
  return options;
}

ExecutionOptions execution_options(const RunConfig& config, const RunSizes& sizes) {
  const ExecutionConfig& execution = config.execution;
  // Memory is copied by the replica's whole team, faster than a thread could beside it; files are waited for.
  const int best_depth = execution.remote_store == "file" ? 1 : 0;
  return {.mode = execution.mode,
          .replicas = execution.data_parallel,
          .accumulation = sizes.accumulation,
          .rts_threshold =
              execution.replicated_tensor_sharding ? execution.rts_threshold : std::numeric_limits<std::int64_t>::max(),
          .recompute = execution.recompute,
          .kept_stages = static_cast<int>(execution.kept_layers),
          .reproducible = execution.reproducible,
          .threads_per_replica = sizes.threads_per_replica,
          .precision = config.precision,
          .device_memory = execution.device_memory.bytes,
          .prefetch_depth = execution.prefetch_depth < 0 ? best_depth : execution.prefetch_depth,
          .loop_overlap = execution.loop_overlap};
}

}  // namespace phasor::run
