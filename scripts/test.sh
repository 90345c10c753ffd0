#!/usr/bin/env bash
# Sets up, builds and tests, and says how long it took. With arguments, under these presets one after the other: release
# (the default), asan (AddressSanitizer and UndefinedBehaviorSanitizer), tsan (ThreadSanitizer). Each runs the tests that
# find something there, all three together every test. With STOP_ON_FAILURE=1 in the environment the first that fails
# ends it.
set -euo pipefail
cd "$(dirname "$0")/.."
if [ "${*:-release}" = release ]; then scripts/setup.sh; else scripts/setup.sh --sanitizers; fi
export CMAKE_CXX_COMPILER_LAUNCHER=ccache CCACHE_DEPEND=1  # which asks the compiler what it read, not to read it twice
export OMP_WAIT_POLICY=passive  # tests run side by side: a thread that waits gives its core to another's

jobs=$(($(nproc) + 2))  # as Ninja does: many a test waits for a process or a file now and then

for preset in "${@:-release}"; do
  echo "== $preset"
  begin=$SECONDS
  cmake --preset "$preset" -DPHASOR_TESTS=ON >/dev/null
  cmake --build --preset "$preset"
  built=$SECONDS
  ctest --preset "$preset" -j "$jobs" ${STOP_ON_FAILURE:+--stop-on-failure}
  echo "== $preset: built in $((built - begin)) s, tested in $((SECONDS - built)) s"
done
