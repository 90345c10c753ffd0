// A row's tokens from left to right, a segment at a time, the padding between and behind them included.
#pragma once

#include <algorithm>

#include "engine/base/segments.h"

namespace phasor::kernels {

// Calls use(segment, first, tokens) for consecutive runs that cover the tokens [begin, end) of the row, each of one
// segment or of padding, which is a segment without tokens.
template <class Use>
void for_token_runs(const Segments& segments, std::int64_t row, std::int64_t begin, std::int64_t end, Use use) {
  const auto run_to = [&](const Segment& segment, std::int64_t next) {
    next = std::min(next, end);
    if (begin < next) use(segment, begin, next - begin);
    begin = std::max(begin, next);
  };
  const Segment padding{.row = row};
  for (std::int64_t n = 0; n < segments.of_a_row() && begin < end; ++n) {
    const Segment segment = segments.at(row, n);
    if (segment.tokens == 0) break;
    run_to(padding, segment.first);
    run_to(segment, segment.end());
  }
  run_to(padding, end);
}

}  // namespace phasor::kernels
