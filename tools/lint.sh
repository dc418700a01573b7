#!/usr/bin/env bash
# clang-tidy, with the checks of .clang-tidy, on the library and the programs of a build directory. One process per
# file: clang-tidy 14 loses track of va_start when it takes several.
set -euo pipefail
cd "$(dirname "$0")/.."
build=$1
base=$(mktemp -d)
log=$base/log
trap 'rm -rf "$base"' EXIT
lint=(xargs -r -n 1 -P "$(getconf _NPROCESSORS_ONLN)" clang-tidy --quiet -p "$base" --extra-arg=-UNDEBUG --extra-arg=-D_GNU_SOURCE)
facts=(--extra-arg=-include --extra-arg="$PWD/tools/lint_facts.h")

# One command per file: clang-tidy runs all that a file has, and loses track of va_start in the second.
python3 - "$build/compile_commands.json" "$base/compile_commands.json" <<'END'
import json
import sys

with open(sys.argv[1]) as given:
    entries = {entry["file"]: entry for entry in reversed(json.load(given))}
with open(sys.argv[2], "w") as made:
    json.dump(list(entries.values()), made)
END

# Files that define a function that lint_facts.h speaks about cannot take it in.
functions=$(sed -nE 's/^#define (xp_[a-z_]+)\(.*/\1/p' tools/lint_facts.h | paste -s -d "|")
definitions() { grep -rlE --include='*.c' "^xp_status ($functions)\(" src; }
library() { find src -name '*.c' -not -path 'src/serve/*' | grep -vxFf <(definitions) | sort; }
programs() { # on public headers, and whose libraries are there
    { find cli -name '*.c'; find hdf5 mpi src/serve -name '*.c'; } | sort | while read -r file; do
        ! grep -qF "/$file\"" "$build/compile_commands.json" || echo "$file"
    done
}

# clang-tidy counts on stderr the warnings it did not show; that is of interest only if it fails.
if ! { library | "${lint[@]}" "${facts[@]}" && { definitions; programs; } | "${lint[@]}"; } 2>"$log"; then
    grep -vE 'warnings? generated' "$log" >&2 || true
    exit 1
fi
