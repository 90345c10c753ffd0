#include "engine/train/schedule.h"

#include <algorithm>

namespace phasor {

float learning_rate(const Schedule& schedule, std::int64_t step) {
  const double minimum = std::min(double{kMinimumRate}, double{schedule.maximum});
  const double rise = schedule.maximum - minimum;
  const auto position = static_cast<double>(step);
  const auto last = static_cast<double>(schedule.steps - 1);
  const double warmup = schedule.warmup_proportion * static_cast<double>(schedule.steps);
  if (position < warmup) return static_cast<float>(minimum + rise * position / warmup);
  if (schedule.function == Schedule::Function::constant || last <= warmup) return schedule.maximum;
  const double left = std::clamp((last - position) / (last - warmup), 0.0, 1.0);
  return static_cast<float>(minimum + rise * left);
}

}  // namespace phasor
