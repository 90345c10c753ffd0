// What a checkpoint holds, and how two of them differ, whatever program or configuration they come from.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "models/checkpoint/checkpoint.h"

namespace phasor::run {

struct TensorSummary {
  std::string name;  // "/weight/qa_outputs.bias"
  Shape shape;
  double norm = 0;     // the root of the sum of squares
  double largest = 0;  // magnitude
  std::int64_t not_finite = 0;
};

// Reads every element, and checks it, a tensor at a time.
std::vector<TensorSummary> summarise_tensors(const std::string& path);

// A fact that two checkpoints differ in, or a tensor.
struct Difference {
  std::string name;   // of the attribute or the tensor
  std::string facts;  // both: "20 and 40", "f32[4] and f32[5]", "3 of 16 elements, the largest difference is 0.25 ..."
  std::optional<double> largest;  // of tensors of one shape: |a - b|, infinite where one is not a number
};

// Empty if a run that goes on from the one ends with the bits of a run that goes on from the other: equal tensors,
// step, samples, seed, global batch, data and loss scale. The configuration and the versions are not compared.
std::vector<Difference> compare_checkpoints(const std::string& a, const std::string& b);

}  // namespace phasor::run
