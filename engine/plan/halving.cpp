#include "engine/plan/halving.h"

#include <algorithm>

namespace phasor {

namespace {

using Halving = bool (*)(std::int64_t& size);  // whether it could be halved

bool halve_evenly(std::int64_t& size) {
  if (size % (2 * kBlock) != 0) return false;
  size /= 2;
  return true;
}

bool halve_roughly(std::int64_t& size) {
  if (halve_evenly(size)) return true;
  if (size < 2 * kBlock) return false;
  size = size / 2 / kBlock * kBlock + size % kBlock;
  return true;
}

// Whether it was enough.
bool halve(const std::vector<std::int64_t*>& sizes, const std::function<bool()>& too_large, Halving halving) {
  while (too_large()) {
    std::vector<std::int64_t*> largest_first = sizes;
    std::ranges::stable_sort(largest_first, std::ranges::greater{}, [](const std::int64_t* size) { return *size; });
    if (std::ranges::none_of(largest_first, [&](std::int64_t* size) { return halving(*size); })) return false;
  }
  return true;
}

}  // namespace

void halve_largest(const std::vector<std::int64_t*>& sizes, const std::function<bool()>& too_large) {
  std::vector<std::int64_t> whole;
  for (const std::int64_t* size : sizes) whole.push_back(*size);
  if (halve(sizes, too_large, halve_evenly)) return;
  for (std::size_t i = 0; i < sizes.size(); ++i) *sizes[i] = whole[i];
  halve(sizes, too_large, halve_roughly);
}

}  // namespace phasor
