// Everything that describes a run, in the sections that a YAML file and the command line show. One list of fields a
// section serves reading, writing and help alike.
#pragma once

#include <optional>
#include <string>

#include "engine/base/byte_size.h"
#include "engine/lower/units/options.h"
#include "engine/train/schedule.h"
#include "models/architecture/model_config.h"
#include "models/fields/facts.h"
#include "models/task_options/task_options.h"

namespace phasor::run {

struct DataConfig {
  task_options::TaskOptions task;
  std::string train, dev, predict;
  std::string cache = "auto";
};

struct TrainingConfig {
  std::int64_t steps = 0;
  double epochs = 3;
  std::int64_t stop_after = 0;
  std::int64_t global_batch_size = 16;
  std::string optimizer_name = "adamw";
  OptimizerOptions optimizer;
  Schedule::Function function = Schedule::Function::linear;
  float learning_rate = 6e-5f;
  float minimum_rate = kLeastRate;
  double warmup_proportion = 0.1;
  double power = 1;
  std::string frozen;
};

// Several devices a replica.
struct PipelineConfig {
  int devices = 1;
  PipelineSchedule schedule = PipelineSchedule::one_f_one_b;
  int parts = 2, group = 0;
  std::string stages;  // models/fields/stage_ranges.h
};

struct ExecutionConfig {
  PipelineConfig pipeline;
  Mode mode = Mode::phased;
  std::int64_t micro_batch_size = 2;
  int data_parallel = 1;
  int device_iterations = 1;
  int threads_per_replica = 0;
  bool replicated_tensor_sharding = true;
  std::int64_t rts_threshold = 1024;
  std::optional<Recompute> recompute;  // nothing: activations are kept where they fit
  std::int64_t kept_layers = 0;
  ByteSize device_memory, host_memory;
  int prefetch_depth = -1;
  int loop_overlap = -1;
  bool zero_copy = true;
  std::optional<bool> pack_weights;  // nothing: where there is room
  std::int64_t embedding_serialization_factor = 0;
  float loss_scaling = 1;
  bool reproducible = false;
  Products products = Products::automatic;
  std::string remote_store = "memory";
  std::string remote_path;
  ByteSize remote_bandwidth;
  double remote_latency = 0;
};

struct CheckpointConfig {
  std::string load, save;
  std::int64_t every_steps = 0;
  int keep = 2;
  bool evaluate = false;
  std::string compression = "none";
};

// What a run writes about itself besides metrics.jsonl.
struct WatchConfig {
  int trace = 0;
  std::string outputs = "all";  // step_outputs.h
  bool tensorboard = false, report = false;
  std::int64_t fingerprint = 0;
};

struct RunConfig {
  architecture::ModelConfig model;
  std::string model_from;
  std::int64_t seed = 42;
  Precision precision = Precision::float32;
  DataConfig data;
  TrainingConfig training;
  ExecutionConfig execution;
  CheckpointConfig checkpoint;
  WatchConfig watch;
};

// All keys, of this run's architecture and task alone (models/fields/facts.h).
template <fields::MaybeConst<RunConfig> AnyConfig, class Visitor>
void visit_fields(AnyConfig& c, Visitor&& visit) {
  using fields::Range, fields::kAny, fields::kMostFloat, fields::kMostSize, fields::kSize;
  constexpr double kMostLayers = 100'000, kMostAhead = 1 << 20, kMostTraced = 1000, kMostIterations = 1 << 20,
                   kMostEpochs = 1e9;
  constexpr const char* kAhead = "no step has as many phases or calls to run ahead of";
  const Range any_number{0, kAny, ""};
  visit("model.architecture", c.model, {.help = "kind of model", .hidden_from_shapes = true});
  visit("model.from", c.model_from,
        {.help = "Transformers folder that gives sizes, vocabulary and first weights", .is_path = true});
  std::visit([&](auto& model) { visit_fields(model, visit); }, c.model);
  visit("model.precision", c.precision, {"of compute: float32 or bfloat16"});
  visit("model.seed", c.seed, {"of initial weights, data order and dropout", Range{}});
  visit("data.task", c.data.task, {"what the model learns"});
  visit("data.train", c.data.train, {.help = "file or folder to train on, as the task reads it", .is_path = true});
  visit("data.dev", c.data.dev, {.help = "file or folder to evaluate on", .is_path = true});
  visit("data.predict", c.data.predict,
        {.help = "file or folder to answer; it needs no answers of its own", .is_path = true});
  visit("data.cache", c.data.cache,
        {"folder that keeps tokenised files and measured rates; auto: the user's cache; none: not kept"});
  std::visit([&](auto& task) { visit_fields(task, visit); }, c.data.task);
  visit("training.steps", c.training.steps, {"optimizer steps; 0: as many as training.epochs take", any_number});
  visit("training.epochs", c.training.epochs,
        {"passes over the data, where training.steps is 0", Range{0, kMostEpochs, "samples taken must be countable"}});
  visit("training.stop_after", c.training.stop_after,
        {"end after this step, as if interrupted there; 0: at the end", any_number});
  visit("training.global_batch_size", c.training.global_batch_size, {"samples an optimizer step", Range{1, kAny, ""}});
  visit("training.optimizer.name", c.training.optimizer_name,
        {"adam (decay joins the gradient), adamw (decoupled), lamb, sgd, or adafactor"});
  visit("training.optimizer.learning_rate.maximum", c.training.learning_rate,
        {"at the end of the warm-up", Range{0, kMostFloat, "weights go down the gradient, not up"}});
  visit("training.optimizer.learning_rate.minimum", c.training.minimum_rate,
        {"at the end of the run, of linear, cosine and polynomial",
         Range{0, kMostFloat, "weights go down the gradient, not up"}});
  visit("training.optimizer.learning_rate.warmup_proportion", c.training.warmup_proportion,
        {"of all steps", Range{0, 1, "it is a part of all steps"}});
  visit("training.optimizer.learning_rate.function", c.training.function,
        {"linear, constant, cosine or polynomial, after the warm-up"});
  visit("training.optimizer.learning_rate.power", c.training.power,
        {"of polynomial: 1 is linear", Range{0, 100, "it is the power of the part of the run that is left"}});
  visit("training.optimizer.learning_rate.layer_decay", c.training.optimizer.layer_decay,
        {"each layer learns at the rate of the one behind it times this", Range{0, 1, "it is a part of a rate"}});
  visit("training.optimizer.beta1", c.training.optimizer.beta1,
        {"decay of the first moment", Range{0, 1, "it is the part of the mean that stays"}});
  visit("training.optimizer.beta2", c.training.optimizer.beta2,
        {"decay of the second moment", Range{0, 1, "it is the part of the mean that stays"}});
  visit("training.optimizer.eps", c.training.optimizer.eps,
        {"added to the root of the second moment", Range{0, kMostFloat, "a divisor is to be positive"}});
  visit("training.optimizer.weight_decay", c.training.optimizer.weight_decay,
        {"of all but norms and biases", Range{0, kMostFloat, "weights are to shrink by it"}});
  visit("training.optimizer.bias_correction", c.training.optimizer.bias_correction, {"of the moments"});
  visit("training.optimizer.momentum", c.training.optimizer.momentum,
        {"of sgd: part of the step before that joins the next; 0: none is kept",
         Range{0, 1, "it is the part of the step before that stays"}});
  visit("training.optimizer.nesterov", c.training.optimizer.nesterov, {"of sgd: momentum that looks a step ahead"});
  visit("training.optimizer.frozen", c.training.frozen,
        {"names of tensors that stay as they are, with * and ?, parted by commas"});
  visit("training.stochastic_rounding", c.training.optimizer.stochastic_rounding,
        {"with bfloat16: no float32 master weights; updates are rounded at random"});
  visit("training.max_grad_norm", c.training.optimizer.max_grad_norm,
        {"clip the whole gradient to this norm; 0: not", Range{0, kMostFloat, "norms have no sign; 0: no clipping"}});
  visit("training.tensorboard", c.watch.tensorboard, {"write event files for TensorBoard"});
  visit("training.report", c.watch.report,
        {"write report.html at the end; traces 3 steps unless execution.trace does"});
  visit("training.fingerprint", c.watch.fingerprint,
        {"write a hash of the whole state to metrics.jsonl every so many steps; 0: never", any_number});
  visit("execution.mode", c.execution.mode, {"phased or monolithic"});
  visit("execution.micro_batch_size", c.execution.micro_batch_size,
        {"rows that a replica computes at once: of a sample each, or packed", Range{1, kMostSize, kSize}});
  visit("execution.data_parallel", c.execution.data_parallel, {"replicas", Range{1, kAny, ""}});
  visit("execution.threads_per_replica", c.execution.threads_per_replica,
        {"of the team of each device; 0: the machine's cores over the replicas and their devices", any_number});
  visit(
      "execution.pipeline.devices", c.execution.pipeline.devices,
      {"of each replica, which share the stages of the model", Range{1, kMostLayers, "a device has a stage at least"}});
  visit("execution.pipeline.schedule", c.execution.pipeline.schedule,
        {"sequential, gpipe, 1f1b or interleaved: when devices take micro-batches forward and backward"});
  visit("execution.pipeline.parts", c.execution.pipeline.parts,
        {"of the model on each device, interleaved", Range{1, kMostLayers, "a part has a stage at least"}});
  visit("execution.pipeline.group", c.execution.pipeline.group,
        {"micro-batches that pass through a device together; 0: 1 if monolithic, else as suits", any_number});
  visit("execution.pipeline.stages", c.execution.pipeline.stages,
        {"stage instances of each part, as in '0-3, 4-7, 8'; empty: parts of about equal cost"});
  visit("execution.replicated_tensor_sharding", c.execution.replicated_tensor_sharding, {"shard large variables"});
  visit("execution.rts_threshold", c.execution.rts_threshold,
        {"elements from which on a variable is large", any_number});
  visit("execution.recompute", c.execution.recompute,
        {"none: activations are kept; layer: they are made again; auto: kept if they fit"});
  visit(
      "execution.kept_layers", c.execution.kept_layers,
      {"with recompute layer: the last layers, which keep theirs", Range{0, kMostLayers, "it is a number of layers"}});
  visit("execution.device_memory", c.execution.device_memory, {"that a replica may take, as in 512MiB; 0: any"});
  visit("execution.host_memory", c.execution.host_memory,
        {"that the process may take, remote memory included, as in 16GiB; 0: what the machine has free"});
  visit("execution.prefetch_depth", c.execution.prefetch_depth,
        {"phases that transfers run ahead of compute; -1: 1 for files, 0 for memory", Range{-1, kMostAhead, kAhead}});
  visit(
      "execution.loop_overlap", c.execution.loop_overlap,
      {"calls that transfers run ahead of compute within loops; -1: as prefetch_depth", Range{-1, kMostAhead, kAhead}});
  visit("execution.zero_copy", c.execution.zero_copy,
        {"activations and state stay in remote memory, where kernels use them; not in files, or with a bandwidth"});
  visit("execution.pack_weights", c.execution.pack_weights,
        {"lay weights out for their products, once a phase, where bits do not depend on it; auto: if they fit"});
  visit("execution.embedding_serialization_factor", c.execution.embedding_serialization_factor,
        {"slices of the word embedding, one on the device at a time; whole if monolithic; 0: as few as fit",
         Range{0, kMostSize, "a slice has one row at least"}});
  visit("execution.loss_scaling", c.execution.loss_scaling,
        {"factor on the loss, divided out of the gradient", Range{0, kMostFloat, "gradients are divided by it"}});
  visit("execution.reproducible", c.execution.reproducible, {"same gradients for any replicas x accumulation"});
  visit("execution.products", c.execution.products,
        {"whose arithmetic multiplies matrices, where it serves them; auto: the fastest on this machine"});
  visit("execution.remote.store", c.execution.remote_store, {"memory or file: where remote buffers live"});
  visit("execution.remote.path", c.execution.remote_path, {.help = "folder of the file store", .is_path = true});
  visit("execution.remote.bandwidth", c.execution.remote_bandwidth,
        {"of remote memory, a replica and second, as in 2GiB: what plan reckons with; 0: as measured"});
  visit("execution.remote.latency", c.execution.remote_latency,
        {"seconds a transfer, for plan; 0: as measured, or none where a bandwidth is given",
         Range{0, 1e6, "it is in seconds"}});
  visit("execution.device_iterations", c.execution.device_iterations,
        {"steps that are prepared at a time and run without the host in between",
         Range{1, kMostIterations, "the batches of all of them wait in remote memory"}});
  visit("execution.outputs", c.watch.outputs,
        {"steps that metrics.jsonl tells of: all, 'every N', of device_iterations the final one, or their sum"});
  visit("execution.trace", c.watch.trace,
        {"steps to record in trace.json, behind the first of the run; 0: none",
         Range{0, kMostTraced, "every step of the program is recorded each time, and no viewer opens more"}});
  visit("checkpoint.load", c.checkpoint.load, {.help = "file to resume from", .is_path = true});
  visit("checkpoint.save", c.checkpoint.save,
        {.help = "file to write; empty: checkpoint.h5 in the output folder", .is_path = true});
  visit("checkpoint.every_steps", c.checkpoint.every_steps,
        {"save during the run too; 0: at the end only", any_number});
  visit("checkpoint.keep", c.checkpoint.keep, {"newest files of every_steps that stay; 0: all", any_number});
  visit("checkpoint.evaluate", c.checkpoint.evaluate, {"score data.dev at every save; the best stays, too"});
  visit("checkpoint.compression", c.checkpoint.compression, {"none, or deflate and its level as in 'deflate 1'"});
}

// Throws UserError, showing the arithmetic, where settings contradict each other.
void validate(const RunConfig& config);

}  // namespace phasor::run
