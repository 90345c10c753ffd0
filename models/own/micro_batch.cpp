#include "models/own/micro_batch.h"

#include <algorithm>
#include <span>

namespace phasor::own {

MicroBatch::MicroBatch(const Batch& batch, std::int64_t size, std::int64_t first) {
  for (const auto& [name, whole] : batch) {
    std::vector<std::int64_t> extents(whole.spec.shape.extents().begin(), whole.spec.shape.extents().end());
    const std::int64_t of_sample = whole.spec.bytes() / extents[0];
    samples_ = std::min(size, extents[0] - first);
    extents[0] = size;
    auto* const begin = static_cast<std::byte*>(whole.data) + first * of_sample;
    arrays_[name] = {{whole.spec.dtype, Shape(std::span<const std::int64_t>(extents))}, begin};
    if (samples_ == size) continue;
    std::vector<std::byte>& copy = filled_.emplace_back(begin, begin + samples_ * of_sample);
    const std::vector<std::byte> last(copy.end() - of_sample, copy.end());
    for (std::int64_t sample = samples_; sample < size; ++sample) copy.insert(copy.end(), last.begin(), last.end());
    arrays_[name].data = copy.data();
  }
}

}  // namespace phasor::own
