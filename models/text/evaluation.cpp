#include "models/text/evaluation.h"

#include <cmath>
#include <fmt/format.h>
#include <numbers>

#include "engine/base/error.h"
#include "models/batches/packing.h"
#include "models/run/first_weights.h"
#include "models/run/trained_model.h"
#include "models/text/inputs.h"

namespace phasor::text {

namespace {

// Text that the tokens behind those of a window stand for, of those that are scored.
std::int64_t scored_bytes(const TextSamples& samples, std::int64_t sample, const io::BytePairEncoding& vocabulary) {
  const Window& window = samples.window(sample);
  std::vector<std::int32_t> ids(static_cast<std::size_t>(window.labels()));
  samples.stream().copy(window.first + window.unscored + 1, ids);
  std::int64_t bytes = 0;
  for (const std::int32_t id : ids) {
    const bool is_text = id != vocabulary.end_of_text() && id < vocabulary.vocab_size();
    if (is_text) bytes += std::ssize(vocabulary.bytes(id));
  }
  return bytes;
}

// -log of the label's probability, from what models/gpt2/stages.h says of its logits.
double nats_of(std::span<const float> sums) {
  return static_cast<double>(sums[0]) + std::log(static_cast<double>(sums[1])) - static_cast<double>(sums[2]);
}

}  // namespace

Evaluation evaluate(const run::ResolvedRun& config, io::Listener& listener) {
  run::check_trained_model(config);
  run::check_first_weights(config);
  const TextSamples samples = evaluated_samples(config, listener);
  const std::optional<io::BytePairEncoding> vocabulary = load_vocabulary(config);
  run::TrainedModel model(config, run::sequences_of(samples, config), config.micro_batch_size, listener);
  const std::int64_t row_tokens = model.micro_batch().tokens_of_row(model_of(config).sequence_length);
  std::vector<double> nats(
      static_cast<std::size_t>(samples.size()));  // of each sample: their order is not that of rows
  Evaluation evaluation;
  const run::TrainedModel::Take take = [&](std::span<const run::Place> places, const auto& results) {
    const std::span<const float> sums = results.at("sums");
    for (const run::Place& place : places) {
      const Window& window = samples.window(place.sample);
      const std::int64_t first = place.row * row_tokens + place.first;
      for (std::int64_t token = first + window.unscored; token < first + window.tokens; ++token) {
        nats[place.sample] += nats_of(sums.subspan(token * 3, 3));
      }
      evaluation.tokens += window.labels();
      if (vocabulary) evaluation.bytes += scored_bytes(samples, place.sample, *vocabulary);
    }
  };
  const auto progress = listener.progress("evaluating", samples.size(), "windows");
  model.run(samples, take, *progress);
  progress->finish();
  for (const double sample : nats) evaluation.nats += sample;
  return evaluation;
}

run::Scores to_scores(const Evaluation& evaluation) {
  const double loss = evaluation.loss(), perplexity = std::exp(loss);
  run::Scores scores{
      .values = {{"loss", loss}, {"perplexity", perplexity}, {"tokens", evaluation.tokens}},
      .logged = {"loss", "perplexity"},
      .text = fmt::format("loss {:.4f}, perplexity {:.3f} over {} tokens", loss, perplexity, evaluation.tokens),
      .figures = {}};
  if (evaluation.bytes > 0) {
    const double bits = evaluation.nats / std::numbers::ln2 / static_cast<double>(evaluation.bytes);
    scores.values["bits_per_byte"] = bits;
    scores.values["bytes"] = evaluation.bytes;
    scores.logged.push_back("bits_per_byte");
    scores.text += fmt::format(", {:.4f} bits a byte", bits);
  }
  scores.text += "\n";
  return scores;
}

}  // namespace phasor::text
