#include <algorithm>

#include "engine/train/predictor.h"
#include "io/squad.h"
#include "models/bert/stages.h"
#include "models/tasks/checkpoint.h"
#include "models/tasks/squad_batch.h"
#include "models/tasks/squad_machine.h"
#include "models/tasks/squad_spans.h"
#include "models/tasks/squad_training.h"

namespace phasor::tasks {

namespace {

// Samples that one pass through the phases takes: enough that loading the weights does not count.
constexpr std::int64_t kSamplesPerPass = 64;

// Runs the features through the model, in their order, and hands their logits to `search`.
class Evaluation {
 public:
  Evaluation(const RunConfig& config, const ExecutionOptions& execution, Machine& machine,
             const SquadFeatures& features)
      : config_(config),
        execution_(execution),
        features_(features),
        batch_size_(config.execution.micro_batch_size),
        predictor_(bert::inference_stages(config.model, batch_size_), execution, machine),
        logits_(static_cast<std::size_t>(2 * batch_size_ * config.model.sequence_length)) {
    load_weights(config.checkpoint.load, predictor_.stages(), predictor_.state());
  }

  void run(SpanSearch& search, io::Progress& progress) {
    const std::int64_t pass = batch_size_ * execution_.accumulation * execution_.replicas;
    for (std::int64_t first = 0; first < features_.size(); first += pass) {
      for_each_micro_batch(first, [&](int replica, int m, std::span<const std::int64_t> chosen) {
        batch_.fill(features_, chosen, config_.model.sequence_length, 0);
        predictor_.write_batch("input_ids", replica, m, std::span<const std::int32_t>(batch_.input_ids));
        predictor_.write_batch("token_type_ids", replica, m, std::span<const std::int32_t>(batch_.token_type_ids));
        predictor_.write_batch("mask", replica, m, std::span<const float>(batch_.mask));
      });
      predictor_.run();
      std::int64_t feature = first;
      for_each_micro_batch(first, [&](int replica, int m, std::span<const std::int64_t>) {
        predictor_.read_result("logits", replica, m, logits_);
        for (std::int64_t i = 0; i < batch_size_ && feature < features_.size(); ++i, ++feature) {
          search.add(feature, row(i, feature), row(batch_size_ + i, feature));
        }
      });
      progress.advance(feature - first);
    }
  }

 private:
  // Calls body(replica, m, features) for the micro-batches of a pass; behind the last feature it is repeated.
  template <class Body>
  void for_each_micro_batch(std::int64_t first, Body body) {
    std::vector<std::int64_t> chosen(static_cast<std::size_t>(batch_size_));
    for (int replica = 0; replica < execution_.replicas; ++replica) {
      for (int m = 0; m < execution_.accumulation; ++m) {
        for (std::int64_t& feature : chosen) feature = std::min(first++, features_.size() - 1);
        body(replica, m, chosen);
      }
    }
  }

  // The logits of the feature's own tokens in row `index`.
  std::span<const float> row(std::int64_t index, std::int64_t feature) const {
    const std::int64_t sequence = config_.model.sequence_length;
    return std::span<const float>(logits_).subspan(static_cast<std::size_t>(index * sequence),
                                                   static_cast<std::size_t>(features_.length(feature)));
  }

  const RunConfig& config_;
  ExecutionOptions execution_;
  const SquadFeatures& features_;
  std::int64_t batch_size_;
  Predictor predictor_;
  std::vector<float> logits_;  // of a micro-batch
  DenseBatch batch_;
};

}  // namespace

SquadScores evaluate_squad(const RunConfig& config, io::ProgressStyle style) {
  check(!config.data.dev.empty(), "data.dev is missing. Give it a SQuAD JSON file");
  check(!config.checkpoint.load.empty(), "checkpoint.load is missing. Give it the checkpoint to evaluate");
  const RunSizes sizes = validate(config);
  const io::SquadData data = io::read_squad(config.data.dev);
  const SquadFeatures features = load_features(config, config.data.dev, true, style);
  Machine machine = make_machine(config, sizes);
  ExecutionOptions execution = execution_options(config, sizes);
  execution.accumulation = static_cast<int>(
      std::max<std::int64_t>(1, kSamplesPerPass / (config.execution.micro_batch_size * execution.replicas)));

  Evaluation evaluation(config, execution, machine, features);
  SpanSearch search(data, features, {.n_best = config.data.n_best, .max_answer_tokens = config.data.max_answer_length});
  io::Progress progress("evaluating", features.size(), "features", style);
  evaluation.run(search, progress);
  progress.finish();

  std::vector<std::string> answers;
  for (SquadPrediction& prediction : search.predictions()) answers.push_back(std::move(prediction.text));
  return score_squad(data, answers);
}

}  // namespace phasor::tasks
