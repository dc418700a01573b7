#!/usr/bin/env bash
# Lays out every C source with clang-format; with --check only says what would change, and fails if anything would.
set -euo pipefail
cd "$(dirname "$0")/.."
places=()
for place in include src hdf5 mpi cli tests bench fuzz examples python; do
    [ ! -d "$place" ] || places+=("$place")
done
mode=(-i)
[ "${1:-}" != --check ] || mode=(--dry-run -Werror)
find "${places[@]}" -name '*.[ch]' -print0 | xargs -0 clang-format "${mode[@]}"
