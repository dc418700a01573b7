#!/usr/bin/env bash
# Runs every fuzzer of a build directory: run_fuzzers.sh BUILD SECONDS [RUNS]. With RUNS it tries so many inputs, the
# same ones each time, as CI wants them; without, as many as fit into the seconds, other ones each time. Seeds and a
# dictionary are taken from fuzz/corpus/<name>/ and fuzz/dict/<name>.dict where they exist; what is found is kept in the
# build directory.
set -euo pipefail
cd "$(dirname "$0")/.."
build=$1
seconds=$2
runs=${3:-}
count=0
for fuzzer in "$build"/fuzz/fuzz_*; do
    [ -f "$fuzzer" ] && [ -x "$fuzzer" ] || continue
    name=$(basename "$fuzzer")
    corpus=$build/corpus/$name
    [ -z "$runs" ] || rm -rf "$corpus"
    mkdir -p "$corpus"
    length=(-max_total_time="$seconds")
    [ -z "$runs" ] || length=(-seed=1 -runs="$runs")
    arguments=("${length[@]}" -timeout=20 -rss_limit_mb=4096 -print_final_stats=1
               -artifact_prefix="$build/$name-")
    [ ! -f "fuzz/dict/$name.dict" ] || arguments+=(-dict="fuzz/dict/$name.dict")
    places=("$corpus")
    [ ! -d "fuzz/corpus/$name" ] || places+=("fuzz/corpus/$name")
    if [ -n "$runs" ]; then echo "$name: $runs inputs"; else echo "$name: $seconds s"; fi
    if ! "$fuzzer" "${arguments[@]}" "${places[@]}" >"$build/$name.log" 2>&1 </dev/null; then
        tail -n 60 "$build/$name.log"
        echo "$name failed; the input that did it is in $build/$name-*" >&2
        exit 1
    fi
    grep -E 'stat::number_of_executed_units' "$build/$name.log" | sed 's/^/    /'
    count=$((count + 1))
done
if [ "$count" = 0 ]; then
    echo "there are no fuzzers in $build/fuzz" >&2
    exit 1
fi
