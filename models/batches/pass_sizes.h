// How many rows a model reads at once, of a sample each or packed: enough that loading its weights does not count, few
// of them padding.
#pragma once

#include <cstdint>

namespace phasor::run {

// Of a pass through the phases: micro-batches on each replica, and rows in each of them.
struct PassSizes {
  int micro_batches = 1;
  std::int64_t micro_batch_size = 1;

  std::int64_t samples(int replicas) const { return micro_batches * micro_batch_size * replicas; }
};

// Of equal passes that take `samples` in all, as if each had a row to itself: some 64 rows a pass at most, or what one
// micro-batch of `largest` a replica takes if that is more. Micro-batches are as large as leaves few places empty.
// Several devices of a replica take up to so many such passes as one, whose first and last micro-batches leave some of
// them waiting; it may be more than the samples fill. Results do not depend on the choice.
PassSizes pass_sizes(std::int64_t samples, std::int64_t largest, int replicas, int devices = 1);

}  // namespace phasor::run
