#include "models/own/prediction.h"

#include <algorithm>

#include "engine/base/error.h"
#include "models/own/micro_batch.h"
#include "models/own/write_batches.h"
#include "models/run/finite_results.h"

namespace phasor::own {

namespace {

// Results of a micro-batch that is not full are cut, which takes some that have a part for each sample.
void check_results(const Stages& stages, std::int64_t size, std::int64_t samples) {
  for (const Stage& stage : stages) {
    for (const auto& [name, value] : stage.results) {
      const Shape& shape = stage.graph.spec(value).shape;
      check(samples % size == 0 || (shape.rank() > 0 && shape[0] % size == 0),
            "batch: {} samples are not a multiple of the model's micro-batch of {}, and result '{}' is {}: it has no "
            "part for each sample",
            samples, size, name, to_string(shape));
    }
  }
}

ExecutionOptions forward_options(const run::ResolvedRun& run, std::int64_t micro_batches) {
  constexpr std::int64_t kMicroBatchesOfDevice = 4;  // most devices are busy then
  ExecutionOptions execution = run.execution;
  const int devices = execution.pipeline.devices;
  const std::int64_t most = devices == 1 ? 1 : kMicroBatchesOfDevice * devices;
  execution.accumulation = static_cast<int>(std::clamp<std::int64_t>(micro_batches, 1, most));
  execution.replicas = 1;
  return execution;
}

Machine forward_machine(const run::ResolvedRun& run) {
  const int devices = run.execution.pipeline.devices;
  return Machine(memory_store(), 1, run.all_threads() / devices, devices);
}

// Takes a batch that is written as the only micro-batch for one of several.
struct MicroBatchOf {
  template <class T>
  void write_batch(const std::string& name, int replica, int, std::span<const T> values) {
    predictor.write_batch(name, replica, number, values);
  }

  Predictor& predictor;
  int number;
};

// Appends the results of micro-batch m: of its first samples, where it is not full.
void read_results(const Predictor& predictor, int m, std::int64_t samples, std::int64_t size, Precision precision,
                  Results& results) {
  for (const Stage& stage : predictor.stages()) {
    for (const auto& [name, value] : stage.results) {
      std::vector<float>& all = results[name];
      const std::size_t before = all.size();
      all.resize(before + static_cast<std::size_t>(stage.graph.spec(value).elements()));
      predictor.read_result(name, 0, m, std::span(all).subspan(before));
      run::check_finite(name, std::span(all).subspan(before), precision);
      if (samples < size) all.resize(before + (all.size() - before) / size * samples);
    }
  }
}

}  // namespace

Prediction::Prediction(const Stages& stages, const Batch& batch, const run::ResolvedRun& run)
    : batch_(batch),
      samples_(check_batch(batch, batch_specs(stages), index_limits(stages))),
      size_(micro_batch_size(stages)),
      execution_(forward_options(run, micro_batches())),
      machine_(forward_machine(run)),
      predictor_(stages, execution_, machine_) {
  check_results(stages, size_, samples_);
}

Results Prediction::run() {
  Results results;
  predictor_.begin();
  for (std::int64_t first = 0; first < micro_batches(); first += execution_.accumulation) {
    const auto count = static_cast<int>(std::min<std::int64_t>(execution_.accumulation, micro_batches() - first));
    for (int m = 0; m < count; ++m) {
      const MicroBatch part(batch_, size_, (first + m) * size_);
      MicroBatchOf target{predictor_, m};
      write_batches(part.arrays(), predictor_.stages(), 1, 1, target);
    }
    predictor_.run(count);
    for (int m = 0; m < count; ++m) {
      read_results(predictor_, m, std::min(size_, samples_ - (first + m) * size_), size_, execution_.precision,
                   results);
    }
  }
  return results;
}

}  // namespace phasor::own
