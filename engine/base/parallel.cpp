#include "engine/base/parallel.h"

namespace phasor {

namespace {
thread_local int team_size = 1;
}

void set_threads(int threads) { team_size = threads; }
int threads() { return team_size; }

}  // namespace phasor
