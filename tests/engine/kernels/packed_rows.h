// Samples side by side in rows, to test kernels that know segments.
#pragma once

#include <cmath>
#include <cstdint>

#include "engine/base/segments.h"
#include "tests/support/buffer.h"

namespace phasor::test {

struct PackedRows {
  std::int64_t rows = 0, sequence = 0;
  Ids numbers;  // i32 [rows, segments of a row, 3]: first token, tokens, sample

  Segments segments() const { return {numbers, rows, sequence}; }
  std::size_t tokens() const { return static_cast<std::size_t>(rows * sequence); }

  // x [rows, sequence, columns] with NaN where padding is, which must have no influence.
  Floats spoiled(Floats x) const {
    const std::size_t columns = tokens() == 0 ? 0 : x.size() / tokens();
    for (std::size_t token = 0; token < tokens(); ++token)
      if (is_padding(token)) std::fill_n(x.begin() + token * columns, columns, NAN);
    return x;
  }
  // The token, counted over all rows.
  bool is_padding(std::size_t token) const {
    const auto at = static_cast<std::int64_t>(token);
    return segments().of_token(at / sequence, at % sequence).tokens == 0;
  }
};

// Nothing, no tokens, no segments, one token; segments next to each other, padding before, between and behind them,
// samples in any order, and one that fills its row.
inline const std::vector<PackedRows>& packed_rows() {
  static const std::vector<PackedRows> kAll{
      {.rows = 0, .sequence = 5, .numbers = {}},
      {.rows = 2, .sequence = 0, .numbers = {0, 0, 0, 0, 0, 0}},
      {.rows = 2, .sequence = 3, .numbers = {}},
      {.rows = 1, .sequence = 1, .numbers = {0, 1, 0}},
      {.rows = 2, .sequence = 7, .numbers = {0, 3, 1, 3, 4, 0, /* row 1 */ 2, 4, 2, 0, 0, 0}},
      {.rows = 3,
       .sequence = 41,
       .numbers = {0, 41, 4,  0, 0, 0, 0, 0, 0, /* row 1 */ 1, 1, 0, 4, 17, 3, 21, 16, 1, /* row 2 */ 0,
                   1, 2,  33, 8, 7, 0, 0, 0}},
  };
  return kAll;
}

}  // namespace phasor::test
