#include "io/text/nearest.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace phasor::io {

namespace {

std::size_t edit_distance(const std::string& a, const std::string& b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = std::exchange(row[j], std::min({replaced, row[j] + 1, row[j - 1] + 1}));
    }
  }
  return row.back();
}

}  // namespace

const std::string& nearest(const std::string& text, const std::vector<std::string>& names) {
  return *std::ranges::min_element(names, {}, [&](const std::string& name) { return edit_distance(text, name); });
}

}  // namespace phasor::io
