#include "models/cli/text/score_text.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace phasor::cli {

namespace {

void print_part(const char* name, const std::optional<run::SquadScores>& part) {
  if (!part) return;
  fmt::print("  {:<15} exact match {:.2f}, F1 {:.2f} on {} questions\n", name, part->exact_match, part->f1,
             part->questions);
}

void print_best(const char* name, const std::optional<run::BestScore>& best) {
  if (best) fmt::print("  best {:<10} {:.2f} with the threshold {:.6g}\n", name, best->score, best->threshold);
}

void add_part(const std::string& name, const std::optional<run::SquadScores>& part, nlohmann::ordered_json& json) {
  if (!part) return;
  json[name + "_exact"] = part->exact_match;
  json[name + "_f1"] = part->f1;
  json[name + "_total"] = part->questions;
}

void add_best(const std::string& name, const std::optional<run::BestScore>& best, nlohmann::ordered_json& json) {
  if (!best) return;
  json[name] = best->score;
  json[name + "_thresh"] = best->threshold;
}

}  // namespace

void print_scores(const run::SquadEvaluation& scores) {
  fmt::print("exact match {:.2f}, F1 {:.2f} on {} questions\n", scores.exact_match, scores.f1, scores.questions);
  print_part("with answer", scores.has_answer);
  print_part("without answer", scores.no_answer);
  print_best("exact", scores.best_exact);
  print_best("F1", scores.best_f1);
}

void add_scores(const run::SquadEvaluation& scores, nlohmann::ordered_json& json) {
  json["exact_match"] = scores.exact_match;
  json["f1"] = scores.f1;
  json["questions"] = scores.questions;
  add_part("HasAns", scores.has_answer, json);
  add_part("NoAns", scores.no_answer, json);
  add_best("best_exact", scores.best_exact, json);
  add_best("best_f1", scores.best_f1, json);
}

}  // namespace phasor::cli
