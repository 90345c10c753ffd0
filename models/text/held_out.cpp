#include "models/text/held_out.h"

#include <algorithm>
#include <cmath>

#include "engine/base/error.h"

namespace phasor::text {

namespace {

constexpr std::int64_t kFewest = 2;  // a token and the one that follows it

// The document's end that is nearest to the token; of equals, the first.
std::int64_t nearest_border(std::span<const std::int64_t> ends, std::int64_t token) {
  const auto behind = std::ranges::lower_bound(ends, token);
  if (behind == ends.begin()) return *behind;
  const std::int64_t before = *(behind - 1);
  return behind == ends.end() || token - before <= *behind - token ? before : *behind;
}

}  // namespace

HeldOut hold_out(const TokenStream& stream, double fraction) {
  check(fraction > 0 && fraction < 1, "text: a fraction of {} cannot be held out, expected more than 0 and less than 1",
        fraction);
  const std::int64_t size = stream.size();
  check(size >= 2 * kFewest, "text: {} tokens are too few to hold some of them out", size);
  const std::int64_t held = std::llround(fraction * static_cast<double>(size));
  const std::int64_t exact = size - std::clamp(held, kFewest, size - kFewest);
  const std::int64_t border = nearest_border(stream.document_ends(), exact);
  const bool near = 2 * std::abs(border - exact) <= size - exact;
  const bool leaves_both = border >= kFewest && size - border >= kFewest;
  const std::int64_t cut = near && leaves_both ? border : exact;
  return {.train = stream.part(0, cut), .dev = stream.part(cut, size)};
}

}  // namespace phasor::text
