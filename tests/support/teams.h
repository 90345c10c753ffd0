// No result may depend on the number of threads.
#pragma once

#include <gtest/gtest.h>

#include "engine/base/parallel.h"
#include "tests/support/buffer.h"

namespace phasor::test {

// run() returns a kernel's results; it must return the same bits on 1, 2 and 3 threads. Returns them.
template <class Run>
Floats same_for_all_teams(Run run) {
  set_threads(1);
  const Floats alone = run();
  for (int team : {2, 3}) {
    set_threads(team);
    EXPECT_TRUE(same_bits(run(), alone)) << "on " << team << " threads";
  }
  set_threads(1);
  return alone;
}

}  // namespace phasor::test
