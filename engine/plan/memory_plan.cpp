#include "engine/plan/memory_plan.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "engine/base/tensor.h"
#include "engine/plan/interference.h"

namespace phasor {

namespace {

MemoryPlan plan_without_reuse(const MemoryRequest& request) {
  MemoryPlan plan;
  for (std::int64_t bytes : request.bytes) {
    plan.offsets.push_back(plan.peak_bytes);
    plan.peak_bytes += align_up(bytes);
  }
  return plan;
}

// Places blocks in an order, each as low as it fits beside those placed before that are alive together with it.
class Placement {
 public:
  Placement(const MemoryRequest& request, const Interference& interference)
      : request_(request), interference_(interference), places_(request.bytes.size()), moved_(request.bytes.size()) {}

  void place(const std::vector<int>& order) {
    for (int block : order) put(block, lowest(block));
  }

  // As place() of an order that is the last one but for its first block, which came later in it. A block stays where it
  // was if none that it meets has moved before.
  void place_again(const std::vector<int>& order) {
    placed_.clear();
    moved_.clear();
    moved_.add(order.front());
    for (int block : order) {
      if (block == order.front() || interference_.may_meet(block, moved_)) {
        const std::int64_t offset = lowest(block);
        if (offset != places_[block].begin) moved_.add(block);
        places_[block].begin = offset;
      }
      put(block, places_[block].begin);
    }
  }

  std::int64_t end(int block) const { return places_[block].end; }

  MemoryPlan plan() const {
    MemoryPlan plan;
    for (const Place& place : places_) {
      plan.offsets.push_back(place.begin);
      plan.peak_bytes = std::max(plan.peak_bytes, place.end);
    }
    return plan;
  }

 private:
  struct Place {
    std::int64_t begin = 0, end = 0;
  };

  std::int64_t lowest(int block) const {
    const std::int64_t bytes = align_up(request_.bytes[block]);
    std::int64_t offset = 0;
    for (int other : placed_) {
      const bool together = interference_.together(block, other);
      if (together & (places_[other].begin - offset >= bytes)) break;
      offset = std::max(offset, together ? places_[other].end : 0);
    }
    return offset;
  }

  void put(int block, std::int64_t offset) {
    places_[block] = {.begin = offset, .end = offset + align_up(request_.bytes[block])};
    const auto begin = [&](int other) { return places_[other].begin; };
    placed_.insert(std::ranges::upper_bound(placed_, offset, {}, begin), block);
  }

  const MemoryRequest& request_;
  const Interference& interference_;
  std::vector<Place> places_;  // of each block
  std::vector<int> placed_;    // those that are placed, by their beginnings
  Interference::Set moved_;
};

// The orders worth trying: large blocks first, long-lived blocks first, as they come to life, and those first that have
// most beside them.
std::vector<std::vector<int>> placement_orders(const MemoryRequest& request, const Interference& interference) {
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
  std::vector<int> by_contention = by_birth;
  std::stable_sort(by_contention.begin(), by_contention.end(),
                   [&](int a, int b) { return interference.bytes_beside(a) > interference.bytes_beside(b); });
  return {by_bytes, by_lifetime, by_birth, by_contention};
}

// Whether a sequence has come back to an element that it had, in which case it goes round for ever: compared with one
// that is kept, the first, second, fourth, eighth and so on (Brent's algorithm).
class Return {
 public:
  bool found(const std::vector<int>& element) {
    if (element == kept_) return true;
    if (++count_ == next_) {
      kept_ = element;
      next_ *= 2;
    }
    return false;
  }

 private:
  std::vector<int> kept_;
  std::int64_t count_ = 0, next_ = 1;
};

// Places blocks in an order, then moves what lies highest to the front of it, again and again: whatever was placed
// before it had pushed it up. An order that was there before leads to no new one.
MemoryPlan best_from(std::vector<int> order, const MemoryRequest& request, const Interference& interference) {
  constexpr std::int64_t kMostRounds = 200, kPairs = std::int64_t{1} << 30;  // that all rounds together may look at
  const auto blocks = static_cast<std::int64_t>(order.size());
  const std::int64_t rounds = std::min(kMostRounds, kPairs / std::max<std::int64_t>(1, blocks * blocks));
  Placement placement(request, interference);
  placement.place(order);
  MemoryPlan best = placement.plan();
  Return orders;
  orders.found(order);
  for (int round = 0; round < rounds && best.peak_bytes > interference.lower_bound_bytes(); ++round) {
    const auto highest = std::ranges::max_element(order, {}, [&](int block) { return placement.end(block); });
    std::rotate(order.begin(), highest, highest + 1);
    if (orders.found(order)) break;
    placement.place_again(order);
    MemoryPlan plan = placement.plan();
    if (plan.peak_bytes < best.peak_bytes) best = std::move(plan);
  }
  return best;
}

}  // namespace

MemoryPlan plan_memory(const MemoryRequest& request, Strategy strategy) {
  const Interference interference(request);
  MemoryPlan best;
  if (strategy == Strategy::no_reuse) {
    best = plan_without_reuse(request);
  } else {
    best.peak_bytes = std::numeric_limits<std::int64_t>::max();
    for (const std::vector<int>& order : placement_orders(request, interference)) {
      MemoryPlan plan = best_from(order, request, interference);
      if (plan.peak_bytes < best.peak_bytes) best = std::move(plan);
      if (best.peak_bytes == interference.lower_bound_bytes()) break;
    }
  }
  best.lower_bound_bytes = interference.lower_bound_bytes();
  return best;
}

}  // namespace phasor
