#include "engine/plan/occupancy.h"

#include <algorithm>
#include <numeric>

namespace phasor {

Occupancy::Occupancy(const std::vector<std::int64_t>& offsets, const std::vector<std::int64_t>& bytes)
    : sharing_(offsets.size()), tenants_(offsets.size(), kNobody), taken_(offsets.size(), -1) {
  std::vector<int> order(offsets.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, {}, [&](int block) { return offsets[block]; });
  for (auto a = order.begin(); a != order.end(); ++a) {
    for (auto b = a + 1; b != order.end() && offsets[*b] < offsets[*a] + bytes[*a]; ++b) {
      if (bytes[*b] == 0) continue;
      sharing_[*a].push_back(*b);
      sharing_[*b].push_back(*a);
    }
  }
}

int Occupancy::take(int block) {
  taken_[block] = moment_;
  const auto other = std::ranges::find_if(sharing_[block], [&](int b) { return taken_[b] == moment_; });
  return other == sharing_[block].end() ? kNobody : *other;
}

void Occupancy::write(int block, int tenant) {
  tenants_[block] = tenant;
  for (int other : sharing_[block]) tenants_[other] = kNobody;
}

}  // namespace phasor
