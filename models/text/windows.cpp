#include "models/text/windows.h"

#include <algorithm>
#include <limits>

#include "engine/base/error.h"

namespace phasor::text {

namespace {

void cut_to_train(std::int64_t first, std::int64_t end, std::int64_t sequence, std::vector<Window>& windows) {
  for (; first + 1 < end; first += sequence) {
    const std::int64_t tokens = std::min(sequence, end - 1 - first);
    windows.push_back({.first = first, .tokens = static_cast<std::int32_t>(tokens)});
  }
}

void cut_to_judge(std::int64_t first, std::int64_t end, const WindowSettings& settings, std::vector<Window>& windows) {
  std::int64_t scored_end = first + 1;  // nothing predicts the first
  for (std::int64_t window_end = first; window_end < end; first += settings.stride) {
    window_end = std::min(first + settings.sequence, end);
    const std::int64_t first_label = std::max(scored_end, first + 1);
    const Window window{.first = first,
                        .tokens = static_cast<std::int32_t>(window_end - 1 - first),
                        .unscored = static_cast<std::int32_t>(first_label - 1 - first)};
    if (window.labels() > 0) windows.push_back(window);
    scored_end = window_end;
  }
}

}  // namespace

std::vector<Window> make_windows(std::span<const std::int64_t> document_ends, const WindowSettings& settings) {
  const std::int64_t sequence = settings.sequence, stride = settings.stride;
  ensure(sequence > 0 && sequence < std::numeric_limits<std::int32_t>::max(), "text: windows of {} tokens", sequence);
  check(stride >= 0 && stride <= sequence, "text: a stride of {} leaves out tokens of windows of {}, expected 1 to {}",
        stride, sequence, sequence);
  if (settings.documents == Documents::joined && !document_ends.empty()) document_ends = document_ends.last(1);
  std::vector<Window> windows;
  std::int64_t first = 0;
  for (const std::int64_t end : document_ends) {
    if (stride == 0) {
      cut_to_train(first, end, sequence, windows);
    } else {
      cut_to_judge(first, end, settings, windows);
    }
    first = end;
  }
  return windows;
}

}  // namespace phasor::text
