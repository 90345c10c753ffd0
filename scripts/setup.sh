#!/usr/bin/env bash
# Installs what building and testing needs and is missing, with --sanitizers also what the presets asan and tsan need.
# Asks nothing. Debian and its relatives.
set -euo pipefail

packages=(
  g++ cmake ninja-build python3          # to build
  libdnnl-dev libeigen3-dev libhwy-dev   # matrix products, random bits in vector registers
  libopenblas0-pthread libblis4-serial   # matrix products on processors where they are faster
  libhdf5-dev libfmt-dev                 # checkpoints, formatting
  nlohmann-json3-dev libyaml-cpp-dev libcli11-dev libicu-dev libxxhash-dev zlib1g-dev
  libgtest-dev libgmock-dev python3-h5py # tests
  ccache                                 # to build again
)
if [ "${1:-}" = --sanitizers ]; then
  packages+=(clang lld libclang-rt-dev libomp-dev)
fi

missing=()
for package in "${packages[@]}"; do
  dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
done
if [ ${#missing[@]} -eq 0 ]; then
  exit 0
fi
echo "installing: ${missing[*]}"
as_root=()
[ "$(id -u)" -eq 0 ] || as_root=(sudo)
export DEBIAN_FRONTEND=noninteractive
"${as_root[@]}" apt-get update -qq
"${as_root[@]}" apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
