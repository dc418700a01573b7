#!/usr/bin/env bash
# clang-tidy, with the checks of .clang-tidy, on the library and the command line tool of a build directory.
set -euo pipefail
cd "$(dirname "$0")/.."
build=$1
lint=(xargs -r -0 -n 4 -P "$(getconf _NPROCESSORS_ONLN)" clang-tidy --quiet -p "$build")
facts=(--extra-arg=-include --extra-arg="$PWD/tools/lint_facts.h")
# Two files define the functions that lint_facts.h speaks about.
definitions=(src/base/status.c src/base/memory.c)
log=$(mktemp)
trap 'rm -f "$log"' EXIT
library() { find src -name '*.c' ! -path "${definitions[0]}" ! -path "${definitions[1]}" -print0 | sort -z; }
tool() { [ ! -d cli ] || find cli -name '*.c' -print0 | sort -z; }
# clang-tidy counts on stderr the warnings it did not show; that is of interest only if it fails.
if ! { library | "${lint[@]}" "${facts[@]}" &&
       { printf '%s\0' "${definitions[@]}"; tool; } | "${lint[@]}"; } 2>"$log"; then
    grep -v 'warnings\? generated' "$log" >&2 || true
    exit 1
fi
