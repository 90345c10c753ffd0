#include "engine/plan/memory_plan.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "engine/base/tensor.h"
#include "engine/plan/interference.h"

namespace phasor {

namespace {

constexpr std::int64_t kUnplaced = -1;

MemoryPlan plan_without_reuse(const MemoryRequest& request) {
  MemoryPlan plan;
  for (std::int64_t bytes : request.bytes) {
    plan.offsets.push_back(plan.peak_bytes);
    plan.peak_bytes += align_up(bytes);
  }
  return plan;
}

// The lowest offset at which `bytes` fit beside the blocks already placed that are alive together with the block.
std::int64_t first_fit(std::int64_t bytes, const std::vector<int>& neighbours, const MemoryRequest& request,
                       const std::vector<std::int64_t>& offsets) {
  std::vector<std::pair<std::int64_t, std::int64_t>> taken;  // [begin, end)
  for (int other : neighbours) {
    if (offsets[other] != kUnplaced)
      taken.emplace_back(offsets[other], offsets[other] + align_up(request.bytes[other]));
  }
  std::sort(taken.begin(), taken.end());
  std::int64_t offset = 0;
  for (const auto& [begin, end] : taken) {
    if (begin - offset >= bytes) break;
    offset = std::max(offset, end);
  }
  return offset;
}

MemoryPlan place_in_order(const std::vector<int>& order, const MemoryRequest& request,
                          const Interference& interference) {
  MemoryPlan plan;
  plan.offsets.assign(request.bytes.size(), kUnplaced);
  for (int block : order) {
    const std::int64_t bytes = align_up(request.bytes[block]);
    plan.offsets[block] = first_fit(bytes, interference.neighbours[block], request, plan.offsets);
    plan.peak_bytes = std::max(plan.peak_bytes, plan.offsets[block] + bytes);
  }
  return plan;
}

// The orders worth trying: large blocks first, long-lived blocks first, and as they come to life.
std::vector<std::vector<int>> placement_orders(const MemoryRequest& request) {
  const std::size_t blocks = request.bytes.size();
  std::vector<std::int64_t> lifetime(blocks, 0);
  std::vector<int> birth(blocks, 0);
  for (auto range = request.ranges.rbegin(); range != request.ranges.rend(); ++range) {
    lifetime[range->block] += range->end - range->begin + 1;
    birth[range->block] = range->begin;
  }
  std::vector<int> by_birth(blocks);
  std::iota(by_birth.begin(), by_birth.end(), 0);
  std::stable_sort(by_birth.begin(), by_birth.end(), [&](int a, int b) { return birth[a] < birth[b]; });
  std::vector<int> by_bytes = by_birth, by_lifetime = by_birth;
  std::stable_sort(by_bytes.begin(), by_bytes.end(), [&](int a, int b) { return request.bytes[a] > request.bytes[b]; });
  std::stable_sort(by_lifetime.begin(), by_lifetime.end(), [&](int a, int b) { return lifetime[a] > lifetime[b]; });
  return {by_bytes, by_lifetime, by_birth};
}

}  // namespace

MemoryPlan plan_memory(const MemoryRequest& request, Strategy strategy) {
  const Interference interference = find_interference(request);
  MemoryPlan best;
  if (strategy == Strategy::no_reuse) {
    best = plan_without_reuse(request);
  } else {
    best.peak_bytes = std::numeric_limits<std::int64_t>::max();
    for (const std::vector<int>& order : placement_orders(request)) {
      MemoryPlan plan = place_in_order(order, request, interference);
      if (plan.peak_bytes < best.peak_bytes) best = std::move(plan);
      if (best.peak_bytes == interference.lower_bound_bytes) break;
    }
  }
  best.lower_bound_bytes = interference.lower_bound_bytes;
  return best;
}

}  // namespace phasor
