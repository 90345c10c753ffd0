#include "models/batches/row_segments.h"

#include <algorithm>

#include "engine/base/segments.h"

namespace phasor::run {

std::vector<std::int64_t> write_segments(std::span<const Place> places, const Samples& samples, BatchTensors& tensors) {
  const Shape& shape = tensors.shape("segments");
  const std::span<std::int32_t> segments = tensors.of<std::int32_t>("segments");
  const std::int64_t of_a_row = shape[1];
  std::vector<std::int64_t> numbers;
  std::int64_t n = 0;  // of the place in its row
  for (std::size_t i = 0; i < places.size(); ++i) {
    const Place& place = places[i];
    n = i > 0 && places[i - 1].row == place.row ? n + 1 : 0;
    ensure(place.row < shape[0] && n < of_a_row, "batch: segment {} of row {} in {}", n, place.row, to_string(shape));
    numbers.push_back(place.row * of_a_row + n);
    const std::int64_t segment[] = {place.first, samples.tokens(place.sample), place.number};
    std::ranges::transform(segment, segments.begin() + numbers.back() * Segments::kNumbers,
                           [](std::int64_t number) { return static_cast<std::int32_t>(number); });
  }
  return numbers;
}

}  // namespace phasor::run
