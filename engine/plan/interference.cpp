#include "engine/plan/interference.h"

#include <algorithm>

#include "engine/base/tensor.h"

namespace phasor {

namespace {

// Sums of bytes up to a time: of what begins, or what has ended.
class BytesUntil {
 public:
  void add(int time, std::int64_t bytes) { sums_.push_back({time, bytes}); }
  void finish() {
    std::ranges::sort(sums_);
    for (std::size_t i = 1; i < sums_.size(); ++i) sums_[i].second += sums_[i - 1].second;
  }
  // At times before `time`.
  std::int64_t before(int time) const {
    const auto behind = std::ranges::lower_bound(sums_, time, {}, &std::pair<int, std::int64_t>::first);
    return behind == sums_.begin() ? 0 : std::prev(behind)->second;
  }

 private:
  std::vector<std::pair<int, std::int64_t>> sums_;
};

}  // namespace

Interference::Interference(const MemoryRequest& request) {
  join_ranges(request);
  note_pairs();
  find_lower_bound(request);
  count_beside(request);
}

// A block that is never alive is nowhere.
void Interference::join_ranges(const MemoryRequest& request) {
  const std::size_t blocks = request.bytes.size();
  std::vector<LiveRange> ranges = request.ranges;
  std::ranges::sort(ranges, {}, [](const LiveRange& range) { return std::pair(range.block, range.begin); });
  first_span_.assign(blocks + 1, 0);
  hulls_.assign(blocks, {.begin = 0, .end = -1});
  auto range = ranges.begin();
  for (std::size_t block = 0; block < blocks; ++block) {
    const std::size_t first = spans_.size();
    first_span_[block] = static_cast<int>(first);
    for (; range != ranges.end() && range->block == static_cast<int>(block); ++range) {
      if (spans_.size() > first && range->begin <= spans_.back().end + 1) {
        spans_.back().end = std::max(spans_.back().end, range->end);
      } else {
        spans_.push_back({range->begin, range->end});
      }
    }
    if (spans_.size() > first) hulls_[block] = {spans_[first].begin, spans_.back().end};
  }
  first_span_[blocks] = static_cast<int>(spans_.size());
}

void Interference::note_pairs() {
  constexpr std::size_t kFew = 2048;  // half a megabyte
  const std::size_t blocks = hulls_.size();
  if (blocks > kFew) return;
  words_ = (blocks + kBits - 1) / kBits;
  pairs_.assign(blocks * words_, 0);
  const auto note = [&](std::size_t a, std::size_t b) {
    pairs_[a * words_ + b / kBits] |= std::uint64_t{1} << (b % kBits);
  };
  for (std::size_t a = 0; a < blocks; ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      if (!meet(static_cast<int>(a), static_cast<int>(b))) continue;
      note(a, b);
      note(b, a);
    }
  }
}

bool Interference::spans_meet(int a, int b) const {
  int i = first_span_[a], j = first_span_[b];
  while (i < first_span_[a + 1] && j < first_span_[b + 1]) {
    if (spans_[i].begin <= spans_[j].end && spans_[j].begin <= spans_[i].end) return true;
    (spans_[i].end < spans_[j].end ? i : j) += 1;
  }
  return false;
}

void Interference::find_lower_bound(const MemoryRequest& request) {
  // Deaths of one time come before its births: a span that ends at t is dead at t + 1.
  std::vector<std::pair<int, std::int64_t>> changes;
  for (std::size_t block = 0; block < request.bytes.size(); ++block) {
    const std::int64_t bytes = align_up(request.bytes[block]);
    for (int span = first_span_[block]; span < first_span_[block + 1]; ++span) {
      changes.emplace_back(spans_[span].begin, bytes);
      changes.emplace_back(spans_[span].end + 1, -bytes);
    }
  }
  std::ranges::sort(changes);
  std::int64_t bytes = 0;
  for (const auto& [time, change] : changes) {
    bytes += change;
    lower_bound_bytes_ = std::max(lower_bound_bytes_, bytes);
  }
}

void Interference::count_beside(const MemoryRequest& request) {
  BytesUntil born, dead;
  for (std::size_t block = 0; block < request.bytes.size(); ++block) {
    if (hulls_[block].end < hulls_[block].begin) continue;
    born.add(hulls_[block].begin, request.bytes[block]);
    dead.add(hulls_[block].end, request.bytes[block]);
  }
  born.finish();
  dead.finish();
  for (std::size_t block = 0; block < request.bytes.size(); ++block) {
    const auto [begin, end] = hulls_[block];
    bytes_beside_.push_back(end < begin ? 0 : born.before(end + 1) - dead.before(begin) - request.bytes[block]);
  }
}

}  // namespace phasor
