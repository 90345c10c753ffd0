#include "models/squad/model.h"

#include <algorithm>

#include "engine/base/error.h"
#include "engine/base/finite.h"
#include "models/architecture/model_config.h"
#include "models/run/first_weights.h"

namespace phasor::run {

namespace {

ExecutionOptions inference_options(const ResolvedRun& config, const PassSizes& pass) {
  ExecutionOptions execution = config.execution;
  execution.accumulation = pass.micro_batches;
  return execution;
}

// Calls body(replica, micro_batch, features) for the micro-batches of the pass that begins with `first`; behind the
// last feature it is repeated.
template <class Body>
void for_each_micro_batch(const ExecutionOptions& execution, std::int64_t batch_size, std::int64_t first,
                          std::int64_t features, Body body) {
  std::vector<std::int64_t> chosen(static_cast<std::size_t>(batch_size));
  for (int replica = 0; replica < execution.replicas; ++replica) {
    for (int m = 0; m < execution.accumulation; ++m) {
      for (std::int64_t& feature : chosen) feature = std::min(first++, features - 1);
      body(replica, m, std::span<const std::int64_t>(chosen));
    }
  }
}

}  // namespace

SquadModel::SquadModel(const ResolvedRun& config, std::int64_t samples, io::ProgressStyle style)
    : config_(config),
      pass_(pass_sizes(samples, config.micro_batch_size, config.execution.replicas)),
      execution_(inference_options(config, pass_)),
      batch_size_(pass_.micro_batch_size),
      machine_(make_machine(config)),
      predictor_(architecture::inference_stages(config.model, batch_size_, config.table_slices), execution_, machine_),
      logits_(static_cast<std::size_t>(2 * batch_size_ * model_of(config).sequence_length)) {
  check_trained_model(config);
  load_trained_weights(config, predictor_.stages(), predictor_.state(), style);
}

void SquadModel::run(const SquadFeatures& features, SpanSearch& search, io::Progress& progress) {
  const std::int64_t pass = pass_.samples(execution_.replicas);
  for (std::int64_t first = 0; first < features.size(); first += pass) {
    run_pass(features, first, search);
    progress.advance(std::min(pass, features.size() - first));
  }
}

void SquadModel::run_pass(const SquadFeatures& features, std::int64_t first, SpanSearch& search) {
  const std::int64_t sequence = model_of(config_).sequence_length;
  for_each_micro_batch(execution_, batch_size_, first, features.size(), [&](int replica, int m, auto chosen) {
    batch_.fill(features, chosen, sequence, 0);
    predictor_.write_batch("input_ids", replica, m, std::span<const std::int32_t>(batch_.input_ids));
    predictor_.write_batch("token_type_ids", replica, m, std::span<const std::int32_t>(batch_.token_type_ids));
    predictor_.write_batch("mask", replica, m, std::span<const float>(batch_.mask));
  });
  predictor_.run();
  std::int64_t feature = first;
  for_each_micro_batch(execution_, batch_size_, first, features.size(), [&](int replica, int m, auto) {
    predictor_.read_result("logits", replica, m, logits_);
    const std::optional<std::size_t> wrong = first_not_finite(logits_);
    check(!wrong, "squad: a logit of the model is {}, expected finite numbers: its weights are too large for {}",
          wrong ? logits_[*wrong] : 0, config_.execution.precision == Precision::bfloat16 ? "bfloat16" : "float32");
    // The logits of the feature's own tokens in row `index`.
    const auto row = [&](std::int64_t index) {
      return std::span<const float>(logits_).subspan(static_cast<std::size_t>(index * sequence),
                                                     static_cast<std::size_t>(features.length(feature)));
    };
    for (std::int64_t i = 0; i < batch_size_ && feature < features.size(); ++i, ++feature) {
      search.add(feature, row(i), row(batch_size_ + i));
    }
  });
}

}  // namespace phasor::run
