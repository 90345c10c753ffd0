#!/usr/bin/env bash
# Builds the extension module of the Python package beside the release build and runs its tests, with the first interpreter
# that has nanobind and NumPy: $PHASOR_PYTHON, that of .venv, python3. Where there is none, it says so and is done.
set -euo pipefail
cd "$(dirname "$0")/.."
export CMAKE_CXX_COMPILER_LAUNCHER=ccache CCACHE_DEPEND=1  # which asks the compiler what it read, not to read it twice
needs='import nanobind, numpy, os, sysconfig; assert os.path.exists(sysconfig.get_path("include") + "/Python.h")'

for python in "${PHASOR_PYTHON:-}" .venv/bin/python python3; do
  if [ -z "$python" ] || ! "$python" -c "$needs" 2>/dev/null; then continue; fi
  executable=$("$python" -c 'import sys; print(sys.executable)')  # by its whole path: CMake takes no other
  echo "== Python: $executable"
  cmake --preset release -DPHASOR_TESTS=ON -DPHASOR_PYTHON=ON -DPython_EXECUTABLE="$executable" >/dev/null
  cmake --build --preset release --target phasor _phasor
  ctest --preset release --no-tests=error -R '^python' ${STOP_ON_FAILURE:+--stop-on-failure}
  exit
done
echo "== Python: left out, no interpreter has nanobind, NumPy and Python.h: pip install nanobind numpy in .venv, or PHASOR_PYTHON=python"
