// Whose value every byte of an arena holds, as a run of what was planned would find it. Proves plans: it knows nothing
// of live ranges.
#pragma once

#include <cstdint>
#include <vector>

namespace phasor {

class Occupancy {
 public:
  static constexpr int kNobody = -1;

  // Block b is at [offsets[b], offsets[b] + bytes[b]).
  Occupancy(const std::vector<std::int64_t>& offsets, const std::vector<std::int64_t>& bytes);

  // What follows, up to the next call, happens at one time. O(1).
  void begin_moment() { ++moment_; }
  // Takes part in the moment. Returns a block that does so already and shares bytes with this one, or kNobody.
  // O(blocks that share bytes with it), as write() is.
  int take(int block);
  // The value of number `tenant` comes to the block; what overlaps it is lost.
  void write(int block, int tenant = 0);
  // Whether the block holds that value still, every byte of it.
  bool holds(int block, int tenant = 0) const { return tenants_[block] == tenant; }

 private:
  std::vector<std::vector<int>> sharing_;  // of each block: those that share bytes with it
  std::vector<int> tenants_;               // of each block
  std::vector<std::int64_t> taken_;        // of each block: the last moment that it took part in
  std::int64_t moment_ = 0;
};

}  // namespace phasor
