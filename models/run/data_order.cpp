#include "models/run/data_order.h"

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

}  // namespace phasor::run
