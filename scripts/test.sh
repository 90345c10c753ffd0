#!/usr/bin/env bash
# Sets up, builds and runs every test. With arguments, under these presets one after the other: release (the default),
# asan (AddressSanitizer and UndefinedBehaviorSanitizer), tsan (ThreadSanitizer).
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/setup.sh
export CMAKE_CXX_COMPILER_LAUNCHER=ccache

for preset in "${@:-release}"; do
  echo "== $preset"
  cmake --preset "$preset" -DPHASOR_TESTS=ON >/dev/null
  cmake --build --preset "$preset"
  ctest --preset "$preset" -j "$(nproc)"
done
