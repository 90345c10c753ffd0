#include "models/squad/windows.h"

#include <algorithm>
#include <iterator>

namespace phasor::squad {

std::int64_t count_windows(std::int64_t length, std::int64_t room, std::int64_t overlap) {
  if (length <= room) return 1;
  const std::int64_t step = room - overlap;
  return 1 + (length - room + step - 1) / step;
}

Window window_at(std::int64_t index, std::int64_t length, std::int64_t room, std::int64_t overlap) {
  const std::int64_t begin = index * (room - overlap);
  return {begin, std::min(begin + room, length)};
}

TokenSpan find_answer(std::span<const std::int32_t> begins, std::span<const std::int32_t> ends, std::int64_t begin,
                      std::int64_t end) {
  if (begins.empty() || begins.front() > begin || ends.back() < end) return {};
  // Characters only grow from token to token. Tokens of the same character stay together.
  const auto first =
      std::lower_bound(begins.begin(), begins.end(), *std::prev(std::upper_bound(begins.begin(), begins.end(), begin)));
  const auto last = std::upper_bound(ends.begin(), ends.end(), *std::lower_bound(ends.begin(), ends.end(), end));
  return {first - begins.begin(), last - ends.begin() - 1};
}

}  // namespace phasor::squad
