#include "engine/train/freeze.h"

#include <algorithm>
#include <fnmatch.h>

#include "engine/base/error.h"
#include "engine/train/state.h"

namespace phasor {

namespace {

// By stage, instance and variable.
using FrozenVariables = std::vector<std::vector<std::vector<bool>>>;

FrozenVariables nothing_frozen(const Stages& stages) {
  FrozenVariables frozen;
  for (const Stage& stage : stages) {
    frozen.emplace_back(static_cast<std::size_t>(stage.instances), std::vector<bool>(stage.variables.size(), false));
  }
  return frozen;
}

bool matches(const std::string& pattern, const CanonicalTensor& tensor) {
  return fnmatch(pattern.c_str(), tensor.name.c_str(), 0) == 0;
}

FrozenVariables find_frozen(const Stages& stages, const std::vector<std::string>& patterns) {
  const std::vector<CanonicalTensor> tensors = canonical_tensors(stages);
  for (const std::string& pattern : patterns) {
    check(std::ranges::any_of(tensors, [&](const auto& tensor) { return matches(pattern, tensor); }),
          "training.optimizer.frozen: '{}' matches no tensor of the model; '{}' would match the first", pattern,
          tensors.front().name);
  }
  FrozenVariables frozen = nothing_frozen(stages);
  const auto is_frozen = [&](const CanonicalTensor& tensor) {
    return std::ranges::any_of(patterns, [&](const auto& pattern) { return matches(pattern, tensor); });
  };
  bool learns = false;
  for (const CanonicalTensor& tensor : tensors) {
    const bool here = is_frozen(tensor);
    for (const CanonicalTensor& other : tensors) {
      if (other.stage != tensor.stage || other.instance != tensor.instance || other.variable != tensor.variable)
        continue;
      check(is_frozen(other) == here,
            "training.optimizer.frozen has '{}' but not '{}', and both are stored as one. Freeze both, or neither",
            here ? tensor.name : other.name, here ? other.name : tensor.name);
    }
    for (int slice = 0; slice < tensor.slices; ++slice) {
      frozen[tensor.stage][tensor.instance + slice][tensor.variable] = here;
    }
    learns = learns || !here;
  }
  check(learns, "training.optimizer.frozen matches every tensor of the model, and leaves nothing to learn");
  return frozen;
}

Stage part_of(const Stage& stage, int first, int count, const std::vector<bool>& frozen) {
  Stage part = stage;
  if (first > 0) part.name = fmt::format("{}.{}", stage.name, stage.first_number + first);
  part.instances = count;
  part.first_number = stage.first_number + first;
  for (std::size_t v = 0; v < frozen.size(); ++v) part.variables[v].frozen = frozen[v];
  return part;
}

}  // namespace

Stages freeze(const Stages& stages, const std::vector<std::string>& patterns) {
  if (patterns.empty()) return stages;
  const FrozenVariables frozen = find_frozen(stages, patterns);
  Stages parts;
  for (std::size_t s = 0; s < stages.size(); ++s) {
    const auto& of_instances = frozen[s];
    for (std::size_t first = 0; first < of_instances.size();) {
      std::size_t end = first + 1;
      while (end < of_instances.size() && of_instances[end] == of_instances[first]) ++end;
      parts.push_back(part_of(stages[s], static_cast<int>(first), static_cast<int>(end - first), of_instances[first]));
      first = end;
    }
  }
  return parts;
}

std::vector<std::string> split_patterns(const std::string& text) {
  std::vector<std::string> words;
  std::string word;
  for (const char c : text + ",") {
    if (c != ',' && c != ' ') {
      word += c;
    } else if (!word.empty()) {
      words.push_back(std::move(word));
      word.clear();
    }
  }
  return words;
}

}  // namespace phasor
