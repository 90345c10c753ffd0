// How long short pieces of work take.
#pragma once

#include <algorithm>
#include <chrono>
#include <ctime>

namespace phasor {

// Runs of a measurement: `least` always, more where they are short. Replicas that work together take equal numbers.
struct Runs {
  int least = 2, most = 64;
};

// What the fastest of the runs takes: whatever disturbs one, or comes with the first, makes it slower, never faster.
// `prepare` runs before each and does not count.
template <class Work, class Prepare>
double fastest_seconds(Work&& work, Runs runs, Prepare&& prepare) {
  using Clock = std::chrono::steady_clock;
  constexpr double kEnoughSeconds = 1e-3;
  double fastest = 0, sum = 0;
  for (int run = 0; run < runs.least || (sum < kEnoughSeconds && run < runs.most); ++run) {
    prepare();
    const Clock::time_point start = Clock::now();
    work();
    const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
    fastest = run == 0 ? seconds : std::min(fastest, seconds);
    sum += seconds;
  }
  return fastest;
}
template <class Work>
double fastest_seconds(Work&& work, Runs runs) {
  return fastest_seconds(work, runs, [] {});
}

// The part of its duration for which work on this thread keeps a core busy: less than one where it waits, as for a
// disk.
template <class Work>
double cores_of(Work&& work) {
  using Clock = std::chrono::steady_clock;
  const auto busy_seconds = [] {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  };
  const double busy = busy_seconds();
  const Clock::time_point start = Clock::now();
  work();
  const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
  return std::clamp((busy_seconds() - busy) / std::max(seconds, 1e-9), 0.0, 1.0);
}

}  // namespace phasor
