#include "models/run/trained_model.h"

#include <algorithm>

#include "engine/base/finite.h"
#include "models/architecture/model_config.h"
#include "models/run/first_weights.h"
#include "models/run/machine.h"

namespace phasor::run {

namespace {

ExecutionOptions inference_options(const ResolvedRun& config, const PassSizes& pass) {
  ExecutionOptions execution = config.execution;
  execution.accumulation = pass.micro_batches;
  return execution;
}

TrainedModel::Results room_for_results(const Stages& stages) {
  TrainedModel::Results results;
  for (const Stage& stage : stages) {
    for (const NamedValue& result : stage.results) {
      results[result.name].resize(static_cast<std::size_t>(stage.graph.spec(result.value).elements()));
    }
  }
  return results;
}

}  // namespace

void check_trained_model(const ResolvedRun& config) {
  check(!config.checkpoint.load.empty() || !config.model_from.empty(),
        "checkpoint.load is missing. Give it the checkpoint of a trained model, or model.from a Transformers folder");
}

TrainedModel::TrainedModel(const ResolvedRun& config, std::int64_t samples, std::int64_t largest,
                           io::Listener& listener)
    : precision_(config.execution.precision),
      pass_(pass_sizes(samples, largest, config.execution.replicas)),
      execution_(inference_options(config, pass_)),
      machine_(make_machine(config)),
      predictor_(architecture::inference_stages(config.model, pass_.micro_batch_size, config.table_slices), execution_,
                 machine_),
      tensors_(predictor_.stages()),
      results_(room_for_results(predictor_.stages())) {
  check_trained_model(config);
  load_trained_weights(config, predictor_.stages(), predictor_.state(), listener);
}

void TrainedModel::run(const Samples& samples, const Take& take, io::Progress& progress) {
  const std::int64_t pass = pass_.samples(execution_.replicas);
  for (std::int64_t first = 0; first < samples.size(); first += pass) {
    write_pass(samples, first);
    predictor_.run();
    read_pass(samples.size(), first, take);
    progress.advance(std::min(pass, samples.size() - first));
  }
}

// Behind the last sample it is repeated.
void TrainedModel::write_pass(const Samples& samples, std::int64_t first) {
  std::vector<Place> places(static_cast<std::size_t>(pass_.micro_batch_size));
  for (int replica = 0; replica < execution_.replicas; ++replica) {
    for (int m = 0; m < pass_.micro_batches; ++m) {
      for (Place& place : places) place.sample = std::min(first++, samples.size() - 1);
      samples.fill(places, tensors_);
      tensors_.write(predictor_, replica, m);
    }
  }
}

void TrainedModel::read_pass(std::int64_t samples, std::int64_t first, const Take& take) {
  for (int replica = 0; replica < execution_.replicas; ++replica) {
    for (int m = 0; m < pass_.micro_batches && first < samples; ++m, first += pass_.micro_batch_size) {
      for (auto& [name, values] : results_) {
        predictor_.read_result(name, replica, m, values);
        check_finite(name, values);
      }
      take(first, std::min(pass_.micro_batch_size, samples - first), results_);
    }
  }
}

void TrainedModel::check_finite(const std::string& name, const std::vector<float>& values) const {
  const std::optional<std::size_t> wrong = first_not_finite(values);
  check(!wrong, "model: one of its {} is {}, expected finite numbers: its weights are too large for {}", name,
        wrong ? values[*wrong] : 0, precision_ == Precision::bfloat16 ? "bfloat16" : "float32");
}

}  // namespace phasor::run
