// parallel_for on plain threads, for builds without OpenMP: ThreadSanitizer does not see OpenMP's synchronisation.
#include <atomic>
#include <thread>
#include <vector>

#include "engine/base/parallel.h"

namespace phasor {

void dismiss_team() {}  // none outlives a loop

namespace detail {

void run_parallel(std::int64_t count, void* context, void (*body)(void*, std::int64_t, int)) {
  std::atomic<std::int64_t> next{0};
  const auto work = [&](int worker) {
    for (std::int64_t i = next++; i < count; i = next++) body(context, i, worker);
  };
  std::vector<std::jthread> team;
  for (int worker = 1; worker < threads() && worker < count; ++worker) team.emplace_back(work, worker);
  work(0);
}

}  // namespace detail

}  // namespace phasor
