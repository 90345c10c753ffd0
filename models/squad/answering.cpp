#include "models/squad/answering.h"

#include <algorithm>

#include "engine/base/error.h"
#include "models/batches/packing.h"
#include "models/run/first_weights.h"
#include "models/run/machine.h"
#include "models/squad/prediction_files.h"

namespace phasor::squad {

std::int64_t answer_file(const run::ResolvedRun& config, const std::string& data_path, bool unanswerable,
                         const std::string& output, io::Listener& listener) {
  run::check_trained_model(config);
  run::check_first_weights(config);
  const io::WordPiece wordpiece = load_vocabulary(config);
  io::SquadData data = io::read_squad(data_path, io::SquadAnswers::Optional, listener);
  data.has_impossible |= unanswerable;
  run::use_all_threads(config);
  const auto reading = listener.progress("features", std::ssize(data.questions), "questions");
  const FeatureSamples samples(make_features(data, wordpiece, feature_settings(config, true), reading.get()));
  reading->finish();
  check_tokens(config, samples.features());
  run::TrainedModel model(config, run::sequences_of(samples, config), config.micro_batch_size, listener);
  SpanSearch search(data, samples.features(), span_settings(config));
  const auto progress = listener.progress("answering", samples.size(), "features");
  search_spans(model, samples, search, *progress);
  progress->finish();
  write_predictions(output, data, search);
  return std::ssize(data.questions);
}

QuestionAnswerer::QuestionAnswerer(const run::ResolvedRun& config, bool unanswerable)
    : config_(run::one_at_a_time(config)),
      unanswerable_(unanswerable),
      wordpiece_(load_vocabulary(config_)),
      model_(config_, 1, config_.micro_batch_size, io::silent()) {
  run::use_all_threads(config_);
}

std::vector<AnswerCandidate> QuestionAnswerer::ask(const std::string& question, const std::string& context) {
  const io::SquadData data{
      .contexts = {context}, .questions = {{.id = "", .text = question}}, .has_impossible = unanswerable_};
  const FeatureSamples samples(make_features(data, wordpiece_, feature_settings(config_, true)));
  check_tokens(config_, samples.features());
  SpanSearch search(data, samples.features(), span_settings(config_));
  io::Progress unseen;
  search_spans(model_, samples, search, unseen);
  std::vector<AnswerCandidate> candidates = search.candidates(0);
  // The threshold may have chosen "no answer", or against it.
  const std::string chosen = search.predictions()[0].text;
  const auto answer = std::ranges::find(candidates, chosen, &AnswerCandidate::text);
  if (answer != candidates.end()) std::rotate(candidates.begin(), answer, answer + 1);
  return candidates;
}

}  // namespace phasor::squad
