#include "models/squad/score_text.h"

#include <fmt/format.h>

namespace phasor::squad {

namespace {

void add_part(const char* words, const std::string& name, const std::optional<MeanScores>& part, run::Scores& scores) {
  if (!part) return;
  scores.text += fmt::format("  {:<15} exact match {:.2f}, F1 {:.2f} on {} questions\n", words, part->exact_match,
                             part->f1, part->questions);
  scores.values[name + "_exact"] = part->exact_match;
  scores.values[name + "_f1"] = part->f1;
  scores.values[name + "_total"] = part->questions;
}

void add_best(const char* words, const std::string& name, const std::optional<BestScore>& best, run::Scores& scores) {
  if (!best) return;
  scores.text += fmt::format("  best {:<10} {:.2f} with the threshold {:.6g}\n", words, best->score, best->threshold);
  scores.values[name] = best->score;
  scores.values[name + "_thresh"] = best->threshold;
}

}  // namespace

run::Scores to_scores(const Evaluation& evaluation) {
  run::Scores scores{
      .values = {{"exact_match", evaluation.exact_match}, {"f1", evaluation.f1}, {"questions", evaluation.questions}},
      .logged = {"exact_match", "f1"},
      .text = fmt::format("exact match {:.2f}, F1 {:.2f} on {} questions\n", evaluation.exact_match, evaluation.f1,
                          evaluation.questions)};
  add_part("with answer", "HasAns", evaluation.has_answer, scores);
  add_part("without answer", "NoAns", evaluation.no_answer, scores);
  add_best("exact", "best_exact", evaluation.best_exact, scores);
  add_best("F1", "best_f1", evaluation.best_f1, scores);
  return scores;
}

}  // namespace phasor::squad
