#include <omp.h>

#include "engine/base/parallel.h"

namespace phasor {

namespace {
thread_local int team_size = 1;
}

void set_threads(int threads) { team_size = threads; }
int threads() { return team_size; }

namespace detail {

void run_parallel(std::int64_t count, void* context, void (*body)(void*, std::int64_t, int)) {
  if (team_size == 1 || count <= 1) {
    for (std::int64_t i = 0; i < count; ++i) body(context, i, 0);
    return;
  }
#pragma omp parallel for schedule(dynamic, 1) num_threads(team_size)
  for (std::int64_t i = 0; i < count; ++i) body(context, i, omp_get_thread_num());
}

}  // namespace detail
}  // namespace phasor
