// The only place that knows how loops are spread over threads.
#pragma once

#include <cstdint>
#include <type_traits>

namespace phasor {

// How many threads parallel_for uses when called from this thread. A replica sets it once on its own thread.
void set_threads(int threads);
int threads();

// Ends the threads of this thread's team but itself; parallel_for starts them again. For a thread that hands its work on:
// where all teams together have more threads than there are cores, those that wait are put to sleep at once, and waking
// them up takes longer than many a loop. Not from within parallel_for.
void dismiss_team();

namespace detail {
// Calls body(context, i, worker) for i in [0, count).
void run_parallel(std::int64_t count, void* context, void (*body)(void*, std::int64_t, int));
}  // namespace detail

// Calls body(i) for i in [0, count), in any order and on any of this thread's team. The pieces must be independent;
// their number must follow from the problem and never from the number of threads, so that results do not depend on it.
// A body that takes (i, worker) is told which of the threads() workers runs it, to pick that worker's scratch memory.
// Allocates nothing. Must not be nested. An exception that leaves `body` ends the process.
template <class Body>
void parallel_for(std::int64_t count, Body&& body) {
  using Plain = std::remove_reference_t<Body>;
  detail::run_parallel(count, const_cast<void*>(static_cast<const void*>(&body)),
                       [](void* context, std::int64_t i, int worker) {
                         if constexpr (std::is_invocable_v<Plain&, std::int64_t, int>) {
                           (*static_cast<Plain*>(context))(i, worker);
                         } else {
                           (*static_cast<Plain*>(context))(i);
                         }
                       });
}

// Calls body(begin, end) for consecutive pieces of `grain` elements that cover [0, count).
template <class Body>
void parallel_for_ranges(std::int64_t count, std::int64_t grain, Body&& body) {
  parallel_for((count + grain - 1) / grain, [&](std::int64_t piece) {
    const std::int64_t begin = piece * grain;
    body(begin, begin + grain < count ? begin + grain : count);
  });
}

}  // namespace phasor
