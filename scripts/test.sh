#!/usr/bin/env bash
# Sets up, builds, and runs every test; then the tests again under the sanitizers. `--no-sanitizers` leaves these out.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/setup.sh

presets=(release asan tsan)
[ "${1:-}" = --no-sanitizers ] && presets=(release)
for preset in "${presets[@]}"; do
  echo "== $preset"
  cmake --preset "$preset" -DPHASOR_TESTS=ON >/dev/null
  cmake --build --preset "$preset"
  ctest --preset "$preset" -j "$(nproc)"
done
