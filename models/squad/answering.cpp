#include "models/squad/answering.h"

#include <algorithm>

#include "engine/base/error.h"
#include "models/run/first_weights.h"
#include "models/squad/prediction_files.h"

namespace phasor::run {

namespace {

ResolvedRun one_at_a_time(ResolvedRun config) {
  config.execution.threads_per_replica = config.all_threads();
  config.execution.replicas = 1;
  config.execution.accumulation = 1;
  config.micro_batch_size = 1;
  config.training.global_batch_size = 1;
  return config;
}

io::WordPiece load_vocabulary(const ResolvedRun& config) {
  check_vocabulary(config);
  return io::WordPiece::load(options_of(config).vocab);
}

}  // namespace

std::int64_t predict_squad(const ResolvedRun& config, const std::string& data_path, bool unanswerable,
                           const std::string& output, io::ProgressStyle style) {
  check_trained_model(config);
  check_first_weights(config);
  const io::WordPiece wordpiece = load_vocabulary(config);
  io::SquadData data = io::read_squad(data_path, io::SquadAnswers::Optional, style);
  data.has_impossible |= unanswerable;
  use_all_threads(config);
  io::Progress reading("features", std::ssize(data.questions), "questions", style);
  const SquadFeatures features = make_squad_features(data, wordpiece, squad_settings(config, true), &reading);
  reading.finish();
  check_tokens(config, features);
  SquadModel model(config, features.size(), style);
  SpanSearch search(data, features, span_settings(config));
  io::Progress progress("answering", features.size(), "features", style);
  model.run(features, search, progress);
  progress.finish();
  write_predictions(output, data, search);
  return std::ssize(data.questions);
}

QuestionAnswerer::QuestionAnswerer(const ResolvedRun& config, bool unanswerable)
    : config_(one_at_a_time(config)),
      unanswerable_(unanswerable),
      wordpiece_(load_vocabulary(config_)),
      model_(config_, 1, io::ProgressStyle::Quiet) {
  use_all_threads(config_);
}

std::vector<AnswerCandidate> QuestionAnswerer::ask(const std::string& question, const std::string& context) {
  const io::SquadData data{
      .contexts = {context}, .questions = {{.id = "", .text = question}}, .has_impossible = unanswerable_};
  const SquadFeatures features = make_squad_features(data, wordpiece_, squad_settings(config_, true));
  check_tokens(config_, features);
  SpanSearch search(data, features, span_settings(config_));
  io::Progress silent("answering", features.size(), "features", io::ProgressStyle::Quiet);
  model_.run(features, search, silent);
  std::vector<AnswerCandidate> candidates = search.candidates(0);
  // The threshold may have chosen "no answer", or against it.
  const std::string chosen = search.predictions()[0].text;
  const auto answer = std::ranges::find(candidates, chosen, &AnswerCandidate::text);
  if (answer != candidates.end()) std::rotate(candidates.begin(), answer, answer + 1);
  return candidates;
}

}  // namespace phasor::run
