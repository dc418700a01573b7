#!/usr/bin/env bash
# Runs every benchmark of a build directory, one after the other, and writes what they print to
# bench/results/<processor>.csv: program,measure,value,unit. Ratios compare within one run; times only within one file.
set -euo pipefail
cd "$(dirname "$0")/.."
build=$1
model=$(sed -n 's/^model name[[:space:]]*: //p' /proc/cpuinfo 2>/dev/null | head -n 1)
[ -n "$model" ] || model=$(uname -m)
name=$(echo "$model" | tr '[:upper:]' '[:lower:]' | sed -E 's/\((r|tm)\)//g; s/[^a-z0-9]+/-/g; s/^-|-$//g')
mkdir -p bench/results
result=bench/results/$name.csv
partial=$(mktemp "$result.XXXXXX")
trap 'rm -f "$partial"' EXIT
echo "program,measure,value,unit" >"$partial"
for program in "$build"/bench/bench_*; do
    [ -f "$program" ] && [ -x "$program" ] || continue
    "$program" | sed "s/^/$(basename "$program"),/" | tee -a "$partial"
done
if [ -x "$build/experior" ]; then
    for script in bench/bench_*.py; do
        python3 -B "$script" "$build" | sed "s/^/$(basename "$script" .py),/" | tee -a "$partial"
    done
    "$build/experior" bench --csv | sed 's/^/experior,/' | tee -a "$partial"
fi
chmod 644 "$partial"
mv "$partial" "$result"
echo "written to $result"
