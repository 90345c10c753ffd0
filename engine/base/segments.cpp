#include "engine/base/segments.h"

#include "engine/base/error.h"

namespace phasor {

Segments::Segments(std::span<const std::int32_t> numbers, std::int64_t rows, std::int64_t sequence)
    : numbers_(numbers),
      rows_(rows),
      sequence_(sequence),
      of_a_row_(rows == 0 ? 0 : static_cast<std::int64_t>(numbers.size()) / (rows * kNumbers)) {
  for (std::int64_t row = 0; row < rows; ++row) {
    std::int64_t end = 0;  // of the segments so far
    for (std::int64_t n = 0; n < of_a_row_; ++n) {
      const Segment segment = at(row, n);
      if (segment.tokens == 0) {
        end = sequence;
        continue;
      }
      ensure(segment.tokens > 0 && segment.first >= end && segment.end() <= sequence,
             "segments: tokens {} to {} of row {} overlap others or leave the row's {}", segment.first,
             segment.end() - 1, row, sequence);
      end = segment.end();
    }
  }
}

Segment Segments::at(std::int64_t row, std::int64_t n) const {
  const std::int32_t* const numbers = &numbers_[static_cast<std::size_t>((row * of_a_row_ + n) * kNumbers)];
  return {.row = row, .first = numbers[0], .tokens = numbers[1], .sample = numbers[2]};
}

Segment Segments::of_token(std::int64_t row, std::int64_t token) const {
  for (std::int64_t n = 0; n < of_a_row_; ++n) {
    const Segment segment = at(row, n);
    if (segment.tokens == 0 || token < segment.first) break;
    if (token < segment.end()) return segment;
  }
  return {.row = row, .first = token};
}

}  // namespace phasor
