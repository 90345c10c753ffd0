#include "engine/base/trace.h"

#include <algorithm>

namespace phasor {

std::vector<TraceSpan> TraceSink::spans() const {
  const auto kept = static_cast<std::ptrdiff_t>(std::min(recorded_.load(), ring_.size()));
  std::vector<TraceSpan> spans(ring_.begin(), ring_.begin() + kept);
  std::ranges::stable_sort(spans, {}, [](const TraceSpan& span) { return std::pair(span.begin, span.end); });
  return spans;
}

}  // namespace phasor
