#include "models/digits/task.h"

#include <filesystem>

#include "engine/base/error.h"
#include "io/files/atomic_file.h"
#include "models/digits/reading.h"
#include "models/digits/scores.h"

namespace phasor::digits {

namespace {

constexpr const char* kFolder = "Give it the folder of MNIST's files";

const convnet::Config& model_of(const run::ResolvedRun& config) { return std::get<convnet::Config>(config.model); }

Images test_images(const run::ResolvedRun& config) {
  check(!config.data.dev.empty(), "data.dev is missing. {}", kFolder);
  return load_images(config.data.dev, Part::test, model_of(config));
}

}  // namespace

std::unique_ptr<run::Samples> Digits::training_samples(const run::ResolvedRun& config, io::Listener& listener) const {
  check(!config.data.train.empty(), "data.train is missing. {}", kFolder);
  auto samples = std::make_unique<ImageSamples>(load_images(config.data.train, Part::train, model_of(config)));
  listener.note(fmt::format("{}: {} images", config.data.train, samples->size()));
  return samples;
}

void Digits::check_evaluation(const run::ResolvedRun& config, io::Listener&) const { test_images(config); }

run::Scores Digits::evaluate(const run::ResolvedRun& config, io::Listener& listener) const {
  const ImageSamples samples(test_images(config));
  return score(samples.images(), read_images(config, samples, listener));
}

run::Task::Predictions Digits::predict(const run::ResolvedRun& config, const PredictRequest& request,
                                       io::Listener& listener) const {
  const std::string& data = config.data.predict.empty() ? config.data.dev : config.data.predict;
  check(!data.empty(), "data.predict is missing. {}, or a file of images", kFolder);
  const ImageSamples samples(load_unlabelled_images(data, model_of(config)));
  const std::vector<Reading> readings = read_images(config, samples, listener);
  std::error_code error;
  std::filesystem::create_directories(request.output, error);
  check(!error, "output folder '{}' cannot be made: {}", request.output, error.message());
  const std::string file = request.output + "/predictions.csv";
  io::write_file_atomically(file, to_csv(readings));
  return {.text = fmt::format("{} images read, digits and their probabilities in {}", readings.size(), file),
          .values = {{"images", readings.size()}, {"predictions", file}}};
}

}  // namespace phasor::digits
