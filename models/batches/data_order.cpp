#include "models/batches/data_order.h"

#include <algorithm>
#include <cmath>

#include "engine/base/random.h"

namespace phasor::run {

std::int64_t DataOrder::sample_at(std::int64_t position) {
  const std::int64_t epoch = position / samples_;
  if (epoch != epoch_) {
    permutation_.resize(static_cast<std::size_t>(samples_));
    random_permutation(seed_, static_cast<std::uint32_t>(epoch), permutation_);
    epoch_ = epoch;
  }
  return permutation_[static_cast<std::size_t>(position % samples_)];
}

void DataOrder::choose(std::int64_t position, std::int64_t batch, std::vector<std::int64_t>& chosen) {
  chosen.resize(static_cast<std::size_t>(samples_of_step(position, batch)));
  for (std::int64_t& sample : chosen) sample = sample_at(position++);
}

std::int64_t DataOrder::samples_of_step(std::int64_t position, std::int64_t batch) const {
  return std::min(batch, samples_ - position % samples_);
}

std::int64_t steps_of_epochs(double epochs, std::int64_t samples, std::int64_t batch) {
  constexpr double kRounding = 0x1p-20;  // 0.3 * 100 / 10 is a little less than 3
  const double whole = std::floor(epochs), rest = (epochs - whole) * static_cast<double>(samples);
  const std::int64_t steps = static_cast<std::int64_t>(whole) * ((samples + batch - 1) / batch) +
                             static_cast<std::int64_t>(rest / static_cast<double>(batch) + kRounding);
  return std::max<std::int64_t>(1, steps);
}

}  // namespace phasor::run
