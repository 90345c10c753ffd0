// How long short pieces of work take, several runs to a measurement.
#pragma once

#include <algorithm>
#include <chrono>
#include <vector>

namespace phasor {

// Runs of a measurement: kRuns always, more where these are short. Work that several replicas do together takes kRuns
// as the most, so that they agree.
inline constexpr std::size_t kRuns = 3, kMostRuns = 64;

// The median of the runs, after one that does not count.
template <class Work>
double median_seconds(Work&& work, std::size_t most_runs = kMostRuns) {
  using Clock = std::chrono::steady_clock;
  constexpr double kEnoughSeconds = 2e-3;
  work();
  std::vector<double> seconds;
  double sum = 0;
  while (seconds.size() < kRuns || (sum < kEnoughSeconds && seconds.size() < most_runs)) {
    const Clock::time_point start = Clock::now();
    work();
    seconds.push_back(std::chrono::duration<double>(Clock::now() - start).count());
    sum += seconds.back();
  }
  const auto middle = seconds.begin() + static_cast<std::ptrdiff_t>(seconds.size() / 2);
  std::nth_element(seconds.begin(), middle, seconds.end());
  return *middle;
}

}  // namespace phasor
