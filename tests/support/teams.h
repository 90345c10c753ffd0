// No result may depend on the number of threads.
#pragma once

#include <gtest/gtest.h>
#include <vector>

#include "engine/base/parallel.h"
#include "tests/support/buffer.h"
#include "tests/support/sanitized.h"

namespace phasor::test {

// The teams whose bits are compared with those of one thread. Sanitizers see as much of the larger one.
inline std::vector<int> teams() { return kSanitized ? std::vector{3} : std::vector{2, 3}; }

// run() returns a kernel's results; it must return the same bits on 1, 2 and 3 threads. Returns them.
template <class Run>
Floats same_for_all_teams(Run run) {
  set_threads(1);
  const Floats alone = run();
  for (int team : teams()) {
    set_threads(team);
    EXPECT_TRUE(same_bits(run(), alone)) << "on " << team << " threads";
  }
  set_threads(1);
  return alone;
}

}  // namespace phasor::test
