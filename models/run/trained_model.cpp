#include "models/run/trained_model.h"

#include <cstdlib>

#include "models/run/finite_results.h"
#include "models/run/first_weights.h"
#include "models/run/machine.h"

namespace phasor::run {

namespace {

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

TrainedModel::TrainedModel(const ResolvedRun& config, std::int64_t rows, std::int64_t largest, io::Listener& listener)
    : passes_(fit_passes(config, {.rows = rows, .largest = largest, .devices = config.execution.pipeline.devices},
                         forward_programs, listener)),
      room_(row_room(passes_.run)),
      machine_(make_machine(config)),
      predictor_(forward_stages(passes_.run), passes_.run.execution, machine_),
      tensors_(predictor_.stages()),
      results_(room_for_results(predictor_.stages())) {
  check_trained_model(config);
  load_trained_weights(config, predictor_.stages(), predictor_.state(), listener);
  predictor_.begin();
}

void TrainedModel::run(const Samples& samples, const Take& take, io::Progress& progress) {
  std::vector<Place> places = place_in_rows(samples, room_);
  for (Place& place : places) place.label_weight = 1;  // where the model asks for labels: all are looked at
  const std::int64_t micro_batches = passes_.sizes.micro_batches * passes_.run.execution.replicas;
  const std::int64_t rows_of_pass = micro_batches * micro_batch().rows;
  for (auto next = places.begin(); next != places.end();) {
    const auto begin = next;
    const std::int64_t first_row = begin->row;
    for (; next != places.end() && next->row < first_row + rows_of_pass; ++next) next->row -= first_row;
    run_pass(samples, {begin, next}, take);
    progress.advance(next - begin);
  }
}

void TrainedModel::run_pass(const Samples& samples, std::span<Place> places, const Take& take) {
  const StepLayout layout{.replicas = passes_.run.execution.replicas, .rows = micro_batch().rows, .room = room_};
  const int micro_batches = layout.micro_batches(rows_of(places));
  std::vector<std::span<const Place>> dealt;
  deal_micro_batches(places, layout, micro_batches, [&](int replica, int m, std::span<const Place> part) {
    samples.fill(part, tensors_);
    tensors_.write(predictor_, replica, m);
    dealt.push_back(part);
  });
  predictor_.run(micro_batches);
  for (std::size_t i = 0; i < dealt.size(); ++i) {
    if (dealt[i].empty()) continue;
    const auto [replica, m] = std::div(static_cast<int>(i), micro_batches);
    for (auto& [name, values] : results_) {
      predictor_.read_result(name, replica, m, values);
      check_finite(name, values, passes_.run.execution.precision);
    }
    take(dealt[i], results_);
  }
}

}  // namespace phasor::run
