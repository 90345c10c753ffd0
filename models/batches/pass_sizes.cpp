#include "models/batches/pass_sizes.h"

#include <algorithm>

namespace phasor::run {

namespace {

constexpr std::int64_t kPassSamples = 64;
constexpr double kMicroBatchOverhead = 1.0 / 16;  // in samples: what a micro-batch takes besides them

constexpr std::int64_t pieces(std::int64_t size, std::int64_t part) { return (size + part - 1) / part; }

}  // namespace

PassSizes pass_sizes(std::int64_t samples, std::int64_t largest, int replicas, int devices) {
  const std::int64_t together = largest * replicas;
  const std::int64_t most = std::max<std::int64_t>(1, kPassSamples / together) * together;
  const std::int64_t passes = pieces(std::max<std::int64_t>(1, samples), most);
  const std::int64_t of_replica = pieces(samples, passes * replicas);
  PassSizes best;
  double least = 0;
  for (std::int64_t size = std::min(largest, std::max<std::int64_t>(1, of_replica)); size >= 1; --size) {
    const std::int64_t count = std::max<std::int64_t>(1, pieces(of_replica, size));
    const double cost = static_cast<double>(count) * (static_cast<double>(size) + kMicroBatchOverhead);
    if (least > 0 && cost >= least) continue;
    least = cost;
    best = {.micro_batches = static_cast<int>(count), .micro_batch_size = size};
  }
  best.micro_batches *= static_cast<int>(std::min<std::int64_t>(devices, passes));
  return best;
}

}  // namespace phasor::run
