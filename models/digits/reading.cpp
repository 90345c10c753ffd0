#include "models/digits/reading.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "models/run/first_weights.h"
#include "models/run/machine.h"
#include "models/run/trained_model.h"

namespace phasor::digits {

Reading read_logits(std::span<const float> logits) {
  const auto greatest = std::ranges::max_element(logits);
  double sum = 0;
  for (const float logit : logits) sum += std::exp(static_cast<double>(logit) - *greatest);
  return {.digit = static_cast<std::int32_t>(greatest - logits.begin()), .probability = 1 / sum};
}

std::vector<Reading> read_images(const run::ResolvedRun& config, const ImageSamples& samples, io::Listener& listener) {
  run::check_trained_model(config);
  run::check_first_weights(config);
  run::use_all_threads(config);
  run::TrainedModel model(config, samples.size(), config.micro_batch_size, listener);
  std::vector<Reading> readings;
  const run::TrainedModel::Take take = [&](std::span<const run::Place> places, const auto& results) {
    const std::vector<float>& logits = results.at("logits");  // [rows, classes]
    const std::size_t classes = logits.size() / static_cast<std::size_t>(model.micro_batch().rows);
    for (const run::Place& place : places) {
      readings.push_back(
          read_logits(std::span(logits).subspan(static_cast<std::size_t>(place.row) * classes, classes)));
    }
  };
  const auto progress = listener.progress("reading", samples.size(), "images");
  model.run(samples, take, *progress);
  return readings;
}

std::string to_csv(std::span<const Reading> readings) {
  std::string text = "image,digit,probability\n";
  for (std::size_t i = 0; i < readings.size(); ++i) {
    text += fmt::format("{},{},{:.6f}\n", i, readings[i].digit, readings[i].probability);
  }
  return text;
}

}  // namespace phasor::digits
