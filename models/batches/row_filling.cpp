#include "models/batches/row_filling.h"

#include <set>

#include "engine/base/error.h"

namespace phasor::run {

namespace {

constexpr std::int64_t kNone = -1;

// Rows that are not full, of which the fullest with enough room is found fast.
class OpenRows {
 public:
  explicit OpenRows(RowRoom room) : room_(room) {}

  std::int64_t take(std::int64_t tokens) {
    auto found = by_room_.lower_bound({tokens, 0});
    const std::int64_t row = found == by_room_.end() ? std::ssize(samples_) : found->second;
    std::int64_t left = room_.tokens;
    if (found == by_room_.end()) {
      samples_.push_back(0);
    } else {
      left = found->first;
      by_room_.erase(found);
    }
    if (++samples_[static_cast<std::size_t>(row)] < room_.samples) by_room_.emplace(left - tokens, row);
    return row;
  }

 private:
  RowRoom room_;
  std::set<std::pair<std::int64_t, std::int64_t>> by_room_;  // tokens left, row
  std::vector<std::int64_t> samples_;                        // of each row
};

// The numbers of lengths whose sum is the largest up to `room`, from the shortest on. `completes[s]` is the first
// length that makes a sum of s with some of those before it.
std::vector<std::size_t> largest_sum(std::span<const std::int64_t> lengths, std::int64_t room) {
  std::vector<std::int64_t> completes(static_cast<std::size_t>(room + 1), kNone);
  const auto is_made = [&](std::int64_t sum) { return sum == 0 || completes[static_cast<std::size_t>(sum)] != kNone; };
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    for (std::int64_t sum = room; sum >= lengths[i]; --sum) {  // downwards, so that a length counts once
      if (!is_made(sum) && is_made(sum - lengths[i]))
        completes[static_cast<std::size_t>(sum)] = static_cast<std::int64_t>(i);
    }
  }
  std::int64_t sum = room;
  while (!is_made(sum)) --sum;
  std::vector<std::size_t> chosen;
  for (; sum > 0; sum -= lengths[chosen.back()]) {
    chosen.push_back(static_cast<std::size_t>(completes[static_cast<std::size_t>(sum)]));
  }
  return chosen;
}

}  // namespace

std::vector<std::int64_t> fit_best(std::span<const std::int64_t> lengths, RowRoom room) {
  std::vector<std::int64_t> rows;
  OpenRows open(room);
  for (const std::int64_t tokens : lengths) rows.push_back(open.take(tokens));
  return rows;
}

std::vector<std::int64_t> fill_each(std::span<const std::int64_t> lengths, RowRoom room) {
  std::vector<std::int64_t> rows(lengths.size(), kNone);
  std::vector<std::size_t> left(lengths.size());  // numbers of lengths
  for (std::size_t i = 0; i < left.size(); ++i) left[i] = i;
  std::vector<std::int64_t> lengths_left;
  for (std::int64_t row = 0; !left.empty(); ++row) {
    rows[left.front()] = row;
    lengths_left.clear();
    for (std::size_t i = 1; i < left.size(); ++i) lengths_left.push_back(lengths[left[i]]);
    std::vector<std::size_t> others = largest_sum(lengths_left, room.tokens - lengths[left.front()]);
    while (std::ssize(others) >= room.samples) others.erase(others.begin());
    for (const std::size_t i : others) rows[left[i + 1]] = row;
    std::erase_if(left, [&](std::size_t i) { return rows[i] != kNone; });
  }
  return rows;
}

}  // namespace phasor::run
