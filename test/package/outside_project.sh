#!/usr/bin/env bash
# outside_project.sh BUILD PROJECT COMPILER: installs BUILD and builds PROJECT against what was installed.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cmake --install "$1" --prefix "$folder/installed" > "$folder/install.log"
cmake -S "$2" -B "$folder/build" -G Ninja -DCMAKE_CXX_COMPILER="$3" -DCMAKE_PREFIX_PATH="$folder/installed" \
  > "$folder/configure.log" || { cat "$folder/configure.log"; exit 1; }
cmake --build "$folder/build" || exit 1
single=$("$folder/build/outside")
several=$("$folder/build/outside" --mesh dp=3)
echo "one rank $single, three ranks $several"
[[ -n $single && $single == "$several" ]]
