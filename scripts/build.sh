#!/usr/bin/env bash
# Builds the program, build/phasor, and the library, build/libphasor.so.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/setup.sh
export CMAKE_CXX_COMPILER_LAUNCHER=ccache CCACHE_DEPEND=1  # which asks the compiler what it read, not to read it twice
cmake --preset release -DPHASOR_TESTS=OFF >/dev/null
cmake --build --preset release --target phasor libphasor
