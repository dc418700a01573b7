#!/usr/bin/env bash
# Configures a preset and builds its targets (all of them if none is named). A build directory that was made
# elsewhere or for another generator cannot be reused by CMake: it is made anew.
set -euo pipefail
cd "$(dirname "$0")/.."
preset=$1
shift
directory=build
[ "$preset" = release ] || directory=build-$preset
cache=$directory/CMakeCache.txt
if [ -f "$cache" ] && ! { grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$(pwd -P)" "$cache" &&
                          grep -qxF 'CMAKE_GENERATOR:INTERNAL=Ninja' "$cache"; }; then
    rm -rf "$directory"
fi
log=$(mktemp)
trap 'rm -f "$log"' EXIT
if ! cmake --preset "$preset" >"$log" 2>&1; then
    cat "$log" >&2
    exit 1
fi
targets=()
for target in "$@"; do
    targets+=(--target "$target")
done
cmake --build "$directory" "${targets[@]}"
