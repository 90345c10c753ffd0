// How good a model's answers are, in the words of its task.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "io/figures/page.h"

namespace phasor::run {

// The score by which a checkpoint is the best of its run.
struct Measure {
  std::string name;  // among Scores::logged: "f1"
  bool more_is_better = true;

  bool prefers(double score, double other) const { return more_is_better ? score > other : score < other; }
};

struct Scores {
  // An object of names and what they are, in the order in which it is told: what `eval --json` prints, and
  // `train --json` behind its own.
  nlohmann::ordered_json values;
  std::vector<std::string> logged;  // names of values, numbers, that evaluations.jsonl has of every checkpoint
  std::string text;                 // the same for people, in lines
  // For the run's report: pictures of what was got wrong, say. With a `picture`, not with `draw`.
  std::vector<io::Figure> figures;
};

}  // namespace phasor::run
