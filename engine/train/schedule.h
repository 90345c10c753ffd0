// The learning rate as a function of the step.
#pragma once

#include <cstdint>

namespace phasor {

struct Schedule {
  enum class Function : std::uint8_t { constant, linear };
  Function function = Function::linear;
  float maximum = 0;
  double warmup_proportion = 0;  // of all steps
  std::int64_t steps = 1;        // of the whole run
};

// Both functions rise linearly from kMinimumRate to the maximum over the first warmup_proportion of the steps; then
// constant stays there and linear falls to kMinimumRate at the last step.
inline constexpr float kMinimumRate = 1e-7f;
float learning_rate(const Schedule& schedule, std::int64_t step);

}  // namespace phasor
