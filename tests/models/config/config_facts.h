// What a configuration comes to, as facts by name: what the engine, the data and the search for answers are told, and
// what a short run on it does.
#pragma once

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>

#include "engine/ir/printer.h"
#include "models/bert/stages.h"
#include "models/checkpoint/checkpoint.h"
#include "models/machine/rates.h"
#include "models/report/metrics_log.h"
#include "models/run/machine.h"
#include "models/squad/inputs.h"
#include "tests/support/trained_letters.h"

namespace phasor::run {

using Facts = std::map<std::string, std::string>;

inline void add_options(const RunConfig& config, Facts& facts) {
  const auto add = [&](const char* name, const auto& value) { facts[name] = fmt::format("{}", value); };
  const ResolvedRun run = settle_defaults(config);
  const OptimizerOptions& optimizer = run.training.optimizer;
  const ExecutionOptions& execution = run.execution;
  const squad::FeatureSettings features = squad::feature_settings(run, false);
  const squad::SpanSettings spans = squad::span_settings(run);
  add("embedding slices", run.table_slices);
  add("beta1", optimizer.beta1);
  add("beta2", optimizer.beta2);
  add("eps", optimizer.eps);
  add("decay", optimizer.weight_decay);
  add("decoupled decay", optimizer.decoupled_weight_decay);
  add("layer decay", optimizer.layer_decay);
  add("momentum", optimizer.momentum);
  add("nesterov", optimizer.nesterov);
  add("bias correction", optimizer.bias_correction);
  add("stochastic rounding", optimizer.stochastic_rounding);
  add("largest norm", optimizer.max_grad_norm);
  add("mode", static_cast<int>(execution.mode));
  add("replicas", execution.replicas);
  add("accumulation", execution.accumulation);
  add("device iterations", execution.device_iterations);
  add("sharding threshold", execution.rts_threshold);
  add("recompute", static_cast<int>(execution.recompute));
  add("kept stages", execution.kept_stages);
  add("reproducible", execution.reproducible);
  add("threads", execution.threads_per_replica);
  const PipelineOptions& pipeline = execution.pipeline;
  add("pipeline", fmt::format("{} devices, {}, {} parts, group {}, stages {}", pipeline.devices,
                              static_cast<int>(pipeline.schedule), pipeline.parts, pipeline.group,
                              fmt::join(pipeline.first_instances, " ")));
  add("precision", static_cast<int>(execution.precision));
  add("products", static_cast<int>(execution.products));
  add("device memory", execution.device_memory);
  add("host memory", run.host_memory.value_or(0));
  add("prefetch depth", execution.prefetch_depth);
  add("loop overlap", execution.loop_overlap);
  add("zero copy", execution.zero_copy);
  add("packs weights", execution.pack_weights);
  add("samples of a sequence", run.samples_of_sequence);
  add("tokens", features.sequence_length);
  add("stride", features.document_stride);
  add("question tokens", features.max_query_length);
  add("answer tokens", spans.max_answer_tokens);
  add("candidates", spans.n_best);
  add("null threshold", spans.null_threshold);
  add("deflate", run.deflate_level);
}

inline std::string text_of(const Stages& stages) {
  std::string text;
  for (const Stage& stage : stages) {
    text += fmt::format("{} x {}\n{}", stage.name, stage.instances, to_string(stage.graph));
    for (const Variable& variable : stage.variables) {
      text += fmt::format("{}: {} of {}, decays {}\n", variable.name, static_cast<int>(variable.initialiser.kind),
                          variable.initialiser.deviation, variable.decays);
    }
  }
  return text;
}

// What plan reckons with where nothing but the links matters.
inline void add_rates(const RunConfig& config, Facts& facts) {
  const Rates rates = machine_rates({}, settle_defaults(config), false);
  facts["link"] = fmt::format("{} s + {} B/s", rates.load.latency_seconds, rates.load.bytes_per_second);
}

inline std::string files_in(const std::string& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder, error)) {
    const std::string name = entry.path().lexically_relative(folder);
    // The name of an event file tells the time and the process.
    if (entry.is_regular_file()) names.push_back(name.substr(0, name.find(".tfevents") + 9));
  }
  std::ranges::sort(names);
  return fmt::format("{}", fmt::join(names, " "));
}

// Where the store keeps its files, which have no names, while there is a store.
inline void add_store(const RunConfig& config, Facts& facts) {
  Machine machine = make_machine(settle_defaults(config));
  machine.memory.open({"probe", {DType::f32, {4}}, 1});
  std::error_code error;
  std::string folder = "memory";
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd", error)) {
    const std::string path = std::filesystem::read_symlink(entry.path(), error);
    const std::string& files = config.execution.remote_path;
    if (!files.empty() && path.starts_with(files + "/")) folder = files;
  }
  facts["place of the store"] = folder;
}

// Each optimizer step's rate and loss, to the bit, and what the run leaves in `output`.
inline void add_run(const RunConfig& config, const std::string& output, Facts& facts) {
  const TrainingOutcome outcome = test::train_squad(config, "model: {}\n", output);
  std::vector<double> rates, losses;
  std::vector<std::int64_t> fingerprints;  // steps
  for (const StepMetrics& step : read_metrics(output + "/metrics.jsonl")) {
    rates.push_back(step.learning_rate);
    losses.push_back(step.loss);
    if (!step.fingerprint.empty()) fingerprints.push_back(step.step);
  }
  facts["rates"] = fmt::format("{}", rates);
  facts["losses"] = fmt::format("{}", losses);
  facts["fingerprints"] = fmt::format("{}", fingerprints);
  facts["files"] = files_in(output);
  facts["saved seed"] = fmt::format("{}", read_position(outcome.checkpoint).seed);
  facts["saved loss scale"] = fmt::format("{}", read_position(outcome.checkpoint).loss_scale);
  if (outcome.scores) facts["questions"] = outcome.scores->values["questions"].dump();
}

// `output` is a folder of the run's own.
inline Facts facts_of(const RunConfig& config, const std::string& output) {
  Facts facts;
  add_options(config, facts);
  facts["stages"] = text_of(architecture::training_stages(config.model, config.execution.micro_batch_size));
  if (config.data.cache != "none") add_rates(config, facts);
  add_store(config, facts);
  add_run(config, output, facts);
  facts["cached"] = config.data.cache + ": " + files_in(config.data.cache);
  return facts;
}

}  // namespace phasor::run
