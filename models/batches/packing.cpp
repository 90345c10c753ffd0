#include "models/batches/packing.h"

#include <algorithm>
#include <numeric>
#include <set>

namespace phasor::run {

namespace {

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

}  // namespace

RowRoom row_room(const ResolvedRun& config) {
  const layers::MicroBatch batch = config.micro_batch();
  return {.tokens = batch.tokens_of_row(architecture::row_tokens(config.model)), .samples = batch.samples_of_row};
}

std::vector<Place> place_in_rows(const Samples& samples, std::span<const std::int64_t> chosen, RowRoom room) {
  std::vector<Place> places(chosen.size());
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    const auto number = static_cast<std::int64_t>(i);
    places[i] = {.sample = chosen[i], .row = number, .number = number};
  }
  if (room.samples == 1) return places;

  std::vector<std::int64_t> longest_first(chosen.size());
  std::iota(longest_first.begin(), longest_first.end(), 0);
  const auto tokens_of = [&](std::int64_t number) { return samples.tokens(chosen[static_cast<std::size_t>(number)]); };
  std::ranges::stable_sort(longest_first, std::greater{}, tokens_of);
  OpenRows rows(room);
  for (const std::int64_t number : longest_first) {
    ensure(tokens_of(number) <= room.tokens, "packing: a sample of {} tokens in rows of {}", tokens_of(number),
           room.tokens);
    places[static_cast<std::size_t>(number)].row = rows.take(tokens_of(number));
  }
  std::ranges::stable_sort(places, {}, &Place::row);
  for (std::size_t i = 1; i < places.size(); ++i) {
    const Place& left = places[i - 1];
    if (places[i].row == left.row) places[i].first = left.first + samples.tokens(left.sample);
  }
  return places;
}

std::vector<Place> place_in_rows(const Samples& samples, RowRoom room) {
  std::vector<std::int64_t> all(static_cast<std::size_t>(samples.size()));
  std::iota(all.begin(), all.end(), 0);
  return place_in_rows(samples, all, room);
}

std::int64_t sequences_of(const Samples& samples, const ResolvedRun& config) {
  const RowRoom sequence{.tokens = architecture::row_tokens(config.model), .samples = config.samples_of_sequence};
  const std::int64_t apart = rows_of(place_in_rows(samples, sequence));
  if (!config.packs()) return apart;
  return std::min(apart, config.micro_batch_size * rows_of(place_in_rows(samples, row_room(config))));
}

}  // namespace phasor::run
