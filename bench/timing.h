// Seconds, and what stands for many of them.
#pragma once

#include <algorithm>
#include <chrono>
#include <vector>

namespace phasor::bench {

// Of one call on the calling thread, by the wall clock.
template <class Work>
double seconds_of(Work&& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Where the median of `values`, of which there is one at least, stands among them; of an even number the lower one.
inline std::size_t median_index(const std::vector<double>& values) {
  std::vector<std::size_t> order(values.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return values[i]; });
  return order[(order.size() - 1) / 2];
}

inline double median(const std::vector<double>& values) { return values[median_index(values)]; }

}  // namespace phasor::bench
