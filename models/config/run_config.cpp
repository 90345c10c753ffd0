#include "models/config/run_config.h"

#include <algorithm>

#include "engine/base/error.h"
#include "models/architecture/model_config.h"
#include "models/config/run_limits.h"
#include "models/fields/step_outputs.h"

namespace phasor::run {

namespace {

bool is_compression(const std::string& text) {
  const bool leveled = text.size() == 9 && text.starts_with("deflate ") && text[8] >= '1' && text[8] <= '9';
  return text == "none" || text == "deflate" || leveled;
}

void validate_training(const TrainingConfig& training, Precision precision) {
  const OptimizerOptions& optimizer = training.optimizer;
  const std::string& name = training.optimizer_name;
  check(name == "adam" || name == "adamw" || name == "lamb" || name == "sgd" || name == "adafactor",
        "training.optimizer.name '{}' is unknown; expected adam, adamw, lamb, sgd or adafactor", name);
  check(optimizer.momentum < 1, "training.optimizer.momentum {} is outside [0, 1)", optimizer.momentum);
  check(!optimizer.nesterov || (name == "sgd" && optimizer.momentum > 0),
        "training.optimizer.nesterov needs training.optimizer.name sgd and a momentum above 0");
  check(optimizer.layer_decay > 0,
        "training.optimizer.learning_rate.layer_decay 0 leaves all but the last layer as it "
        "is. Name those in training.optimizer.frozen, which costs nothing");
  check(optimizer.beta1 < 1 && optimizer.beta2 < 1, "training.optimizer.beta1 {} or beta2 {} is outside [0, 1)",
        optimizer.beta1, optimizer.beta2);
  check(!optimizer.stochastic_rounding || precision == Precision::bfloat16,
        "training.stochastic_rounding needs model.precision bfloat16; weights in float32 are not rounded");
}

void validate_execution(const ExecutionConfig& execution, const architecture::ModelConfig& model) {
  const int layers = architecture::layers(model);
  const std::int64_t rows = architecture::table_rows(model), slices = execution.embedding_serialization_factor;
  check(execution.kept_layers <= layers, "execution.kept_layers {} is outside 0 .. model.layers {}",
        execution.kept_layers, layers);
  check(execution.kept_layers == 0 || execution.recompute == Recompute::layer,
        "execution.kept_layers {} needs execution.recompute layer, of which they are the exceptions",
        execution.kept_layers);
  check(
      slices <= std::max<std::int64_t>(1, rows),
      "execution.embedding_serialization_factor {} is outside 1 .. model.vocab_size {}: it is the number of slices of "
      "the word embedding, of one row at least; 0: as few as fit",
      slices, rows);
  const PipelineConfig& pipeline = execution.pipeline;
  check(
      pipeline.group == 0 || pipeline.devices == 1 || execution.mode == Mode::monolithic || !execution.reproducible,
      "execution.pipeline.group {} with execution.reproducible needs execution.mode monolithic: in phases the sums of "
      "all micro-batches are made together",
      pipeline.group);
  check(execution.loss_scaling > 0, "execution.loss_scaling {} is not positive", execution.loss_scaling);
  check(execution.remote_store == "memory" || execution.remote_store == "file",
        "execution.remote.store '{}' is unknown; expected memory or file", execution.remote_store);
  check(execution.remote_store == "memory" || !execution.remote_path.empty(),
        "execution.remote.store file needs execution.remote.path, a folder");
}

// What its sums over rows and columns cannot be put together of.
void validate_adafactor(const RunConfig& config) {
  if (config.training.optimizer_name != "adafactor") return;
  const ExecutionConfig& execution = config.execution;
  check(
      execution.data_parallel == 1 || !execution.replicated_tensor_sharding,
      "training.optimizer.name adafactor on {} replicas needs execution.replicated_tensor_sharding false: it sums over "
      "rows and columns of whole variables",
      execution.data_parallel);
  check(
      execution.embedding_serialization_factor <= 1 || execution.mode == Mode::monolithic,
      "training.optimizer.name adafactor needs execution.embedding_serialization_factor 1 instead of {}: it sums over "
      "the columns of a whole table",
      execution.embedding_serialization_factor);
}

}  // namespace

void validate(const RunConfig& config) {
  check_ranges(config);
  architecture::validate(config.model);
  check_totals(config);
  const ExecutionConfig& execution = config.execution;
  const std::int64_t together = execution.data_parallel * execution.micro_batch_size;
  check(config.training.global_batch_size % together == 0,
        "global_batch_size {} is not a multiple of data_parallel × micro_batch_size = {} × {} = {}",
        config.training.global_batch_size, execution.data_parallel, execution.micro_batch_size, together);
  validate_training(config.training, config.precision);
  validate_execution(execution, config.model);
  validate_adafactor(config);
  task_options::validate(config.data.task, config.model);
  check(!config.checkpoint.evaluate || !config.data.dev.empty(), "checkpoint.evaluate needs data.dev to score");
  check(parse_outputs(config.watch.outputs).has_value(),
        "execution.outputs '{}' is unknown; expected all, final, sum or 'every N' with N of 1 at least",
        config.watch.outputs);
  check(is_compression(config.checkpoint.compression),
        "checkpoint.compression '{}' is neither none nor deflate with a level of 1 to 9, as in 'deflate 1'",
        config.checkpoint.compression);
}

}  // namespace phasor::run
