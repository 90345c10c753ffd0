// The sizes of segments that attention's products are prepared for: a segment of any length is rounded up to one of
// few, and everything that decides about its bits follows from that.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "engine/kernels/attention.h"

namespace phasor::kernels {

// The smallest class that holds so many tokens, at least one. Multiples of 16, and above 128 eight classes a doubling:
// less than an eighth is rounded up.
inline std::int64_t class_size(std::int64_t tokens) {
  constexpr std::int64_t kLeast = 16;
  const auto doubling = static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(tokens)));
  const std::int64_t step = std::max(kLeast, doubling / 16);
  return (tokens + step - 1) / step * step;
}

// Calls use(size) for the classes of segments of at most so many tokens, ascending.
template <class Use>
void for_class_sizes(std::int64_t most_tokens, Use use) {
  for (std::int64_t tokens = 1; tokens <= most_tokens; tokens = class_size(tokens) + 1) use(class_size(tokens));
}

// What is prepared for each class. A Class is made of (shape, size, workers) and has the member `size`, the queries'
// `blocks` and the layout `scratch` of a worker.
template <class Class>
class SizeClasses {
 public:
  SizeClasses(const AttentionShape& shape, int workers) {
    for_class_sizes(shape.sequence, [&](std::int64_t size) {
      classes_.emplace_back(shape, size, workers);
      worker_bytes_ = std::max(worker_bytes_, classes_.back().scratch.bytes);
    });
  }

  const Class& of(std::int64_t tokens) const {
    return *std::ranges::lower_bound(classes_, tokens, std::ranges::less(), &Class::size);
  }
  std::int64_t worker_bytes() const { return worker_bytes_; }  // scratch of a worker, whatever the class

 private:
  std::vector<Class> classes_;
  std::int64_t worker_bytes_ = 0;
};

}  // namespace phasor::kernels
