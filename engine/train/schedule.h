// The learning rate as a function of the step.
#pragma once

#include <cstdint>

namespace phasor {

inline constexpr float kLeastRate = 1e-7f;

struct Schedule {
  enum class Function : std::uint8_t { constant, linear, cosine, polynomial };
  Function function = Function::linear;
  float maximum = 0;
  float minimum = kLeastRate;
  double warmup_proportion = 0;  // of all steps
  std::int64_t steps = 1;        // of the whole run
  double power = 1;              // of polynomial
};

// All functions rise linearly from kLeastRate to the maximum over the first warmup_proportion of the steps; then
// constant stays there, and the others fall to the minimum at the last step: linear evenly, cosine as half a period of
// a cosine (Loshchilov and Hutter, "SGDR", 2017), polynomial as a power of the part that is left. No rate is above the
// maximum.
float learning_rate(const Schedule& schedule, std::int64_t step);

}  // namespace phasor
