#!/usr/bin/env bash
# Runs the tests of a coverage build, prints the share of the lines of src/ that they ran, and fails below 95 %.
set -euo pipefail
cd "$(dirname "$0")/.."
build=$1
report=$2
find "$build" -name '*.gcda' -delete
tools/run_tests.sh "$build"
mkdir -p "$report"
# Counters that threads share may be off, even below 0: only whether a line ran is asked.
gcovr --root . --filter src/ --exclude-unreachable-branches --gcov-ignore-parse-errors --print-summary \
      --fail-under-line 95 \
      --html-details "$report/index.html" "$build"
