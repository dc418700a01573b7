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

run() { # one fuzzer
    local name=$1
    local corpus=$build/corpus/$name
    [ -z "$runs" ] || rm -rf "$corpus"
    mkdir -p "$corpus"
    local length=(-max_total_time="$seconds")
    [ -z "$runs" ] || length=(-seed=1 -runs="$runs")
    local arguments=("${length[@]}" -timeout=20 -rss_limit_mb=4096 -print_final_stats=1
                     -artifact_prefix="$build/$name-")
    [ ! -f "fuzz/dict/$name.dict" ] || arguments+=(-dict="fuzz/dict/$name.dict")
    local places=("$corpus")
    [ ! -d "fuzz/corpus/$name" ] || places+=("fuzz/corpus/$name")
    if ! "$build/fuzz/$name" "${arguments[@]}" "${places[@]}" >"$build/$name.log" 2>&1 </dev/null; then
        tail -n 60 "$build/$name.log"
        echo "$name failed; the input that did it is in $build/$name-*" >&2
        return 1
    fi
    local units
    units=$(sed -n 's/^stat::number_of_executed_units: *//p' "$build/$name.log")
    echo "$name: $units inputs"
}

names=()
for fuzzer in "$build"/fuzz/fuzz_*; do
    [ ! -f "$fuzzer" ] || [ ! -x "$fuzzer" ] || names+=("$(basename "$fuzzer")")
done
if [ ${#names[@]} = 0 ]; then
    echo "there are no fuzzers in $build/fuzz" >&2
    exit 1
fi
# One per processor at a time; after a failure no more begin.
processors=$(getconf _NPROCESSORS_ONLN)
begun=0 ended=0 failed=0
while [ "$ended" -lt "$begun" ] || { [ "$failed" = 0 ] && [ "$begun" -lt ${#names[@]} ]; }; do
    while [ "$failed" = 0 ] && [ "$begun" -lt ${#names[@]} ] && [ $((begun - ended)) -lt "$processors" ]; do
        run "${names[begun]}" &
        begun=$((begun + 1))
    done
    wait -n || failed=1
    ended=$((ended + 1))
done
exit $failed
