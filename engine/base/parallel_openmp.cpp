#include <omp.h>

#include "engine/base/parallel.h"

namespace phasor {

void dismiss_team() { omp_pause_resource(omp_pause_soft, omp_get_initial_device()); }

namespace detail {

void run_parallel(std::int64_t count, void* context, void (*body)(void*, std::int64_t, int)) {
  if (threads() == 1 || count <= 1) {
    for (std::int64_t i = 0; i < count; ++i) body(context, i, 0);
    return;
  }
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads())
  for (std::int64_t i = 0; i < count; ++i) body(context, i, omp_get_thread_num());
}

}  // namespace detail

}  // namespace phasor
