#include "models/batches/packing.h"

#include <algorithm>
#include <numeric>

namespace phasor::run {

namespace {

// The row of each length, in falling order.
std::vector<std::int64_t> rows_for(std::span<const std::int64_t> lengths, RowRoom room) {
  constexpr std::int64_t kMostToFill = 512;  // of more the best fit is nearly full, and found sooner
  std::vector<std::int64_t> fitted = fit_best(lengths, room);
  if (std::ssize(lengths) > kMostToFill) return fitted;
  std::vector<std::int64_t> filled = fill_each(lengths, room);
  return std::ranges::max(filled) <= std::ranges::max(fitted) ? filled : fitted;
}

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
  if (room.samples == 1 || places.empty()) return places;

  std::vector<std::int64_t> longest_first(chosen.size());
  std::iota(longest_first.begin(), longest_first.end(), 0);
  const auto tokens_of = [&](std::int64_t number) { return samples.tokens(chosen[static_cast<std::size_t>(number)]); };
  std::ranges::stable_sort(longest_first, std::greater{}, tokens_of);
  std::vector<std::int64_t> lengths(chosen.size());
  std::ranges::transform(longest_first, lengths.begin(), tokens_of);
  ensure(lengths.front() <= room.tokens, "packing: a sample of {} tokens in rows of {}", lengths.front(), room.tokens);
  const std::vector<std::int64_t> rows = rows_for(lengths, room);
  for (std::size_t i = 0; i < rows.size(); ++i) places[static_cast<std::size_t>(longest_first[i])].row = rows[i];
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
