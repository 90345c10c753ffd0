// Samples side by side in the rows of a tensor [rows, sequence, ...]: which tokens of a row are whose. Tokens of no
// segment are padding.
#pragma once

#include <cstdint>
#include <span>

namespace phasor {

// A sample's tokens: first .. first + tokens - 1 of the row.
struct Segment {
  std::int64_t row = 0, first = 0;
  std::int64_t tokens = 0;  // 0: there is no such segment
  std::int64_t sample = 0;  // counts from the micro-batch's first (RandomSite)

  std::int64_t end() const { return first + tokens; }
};

// A view of i32 [rows, segments of a row, 3], whose numbers are a segment's first token, its tokens and its sample.
// Those of a row stand from left to right and share no token; those without tokens come last.
class Segments {
 public:
  static constexpr std::int64_t kNumbers = 3;

  // Throws InternalError where the numbers are not as above: data are checked before they get here.
  Segments(std::span<const std::int32_t> numbers, std::int64_t rows, std::int64_t sequence);

  std::int64_t rows() const { return rows_; }
  std::int64_t sequence() const { return sequence_; }
  std::int64_t of_a_row() const { return of_a_row_; }

  // Segment n of the row, which may have no tokens.
  Segment at(std::int64_t row, std::int64_t n) const;
  // The one that the token of the row belongs to; without tokens where that is padding.
  Segment of_token(std::int64_t row, std::int64_t token) const;

 private:
  std::span<const std::int32_t> numbers_;
  std::int64_t rows_, sequence_, of_a_row_;
};

}  // namespace phasor
