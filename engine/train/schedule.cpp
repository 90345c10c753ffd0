#include "engine/train/schedule.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace phasor {

float learning_rate(const Schedule& schedule, std::int64_t step) {
  const double maximum = schedule.maximum;
  const auto position = static_cast<double>(step);
  const auto last = static_cast<double>(schedule.steps - 1);
  const double warmup = schedule.warmup_proportion * static_cast<double>(schedule.steps);
  if (position < warmup) {
    const double least = std::min(double{kLeastRate}, maximum);
    return static_cast<float>(least + (maximum - least) * position / warmup);
  }
  if (schedule.function == Schedule::Function::constant || last <= warmup) return schedule.maximum;
  double left = std::clamp((last - position) / (last - warmup), 0.0, 1.0);
  if (schedule.function == Schedule::Function::cosine) left = (1 - std::cos(std::numbers::pi * left)) / 2;
  if (schedule.function == Schedule::Function::polynomial) left = std::pow(left, schedule.power);
  const double minimum = std::min(double{schedule.minimum}, maximum);
  return static_cast<float>(minimum + (maximum - minimum) * left);
}

}  // namespace phasor
