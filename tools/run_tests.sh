#!/usr/bin/env bash
# Runs the tests of a build directory and adds up the "N passed, N failed" that each test program prints. A
# program that fails without such a line (a crash, a time limit, a sanitizer's finding after the last claim)
# counts as one failure.
set -uo pipefail
cd "$(dirname "$0")/.."
build=$1
shift
launcher=()
if grep -q '^XP_SANITIZE:STRING=.*thread' "$build/CMakeCache.txt"; then
    # The thread sanitizer of older compilers cannot place its shadow memory under strong address randomisation.
    if setarch "$(uname -m)" -R true 2>/dev/null; then
        launcher=(setarch "$(uname -m)" -R)
    fi
fi
export ASAN_OPTIONS=${ASAN_OPTIONS:-detect_stack_use_after_return=1:strict_string_checks=1}
export UBSAN_OPTIONS=${UBSAN_OPTIONS:-print_stacktrace=1}
export TSAN_OPTIONS=${TSAN_OPTIONS:-halt_on_error=1}
logs=$build/Testing/Temporary
mkdir -p "$logs"
rm -f "$logs"/LastTest*.log
"${launcher[@]}" ctest --test-dir "$build" --output-on-failure --no-tests=error -j "$(getconf _NPROCESSORS_ONLN)" "$@"
status=$?
touch "$logs/LastTest.log" "$logs/LastTestsFailed.log" # ctest writes the second only if a test failed
awk '
    FILENAME ~ /LastTestsFailed/ { broken[substr($0, index($0, ":") + 1)] = 1; next }
    /^[0-9]+\/[0-9]+ Testing: / { name = $3; known[name] = 1 }
    /^[0-9]+ passed, [0-9]+ failed$/ { passed += $1; failed += $3; bad[name] += $3; counted[name] = 1 }
    END {
        for (name in broken) { known[name] = 1; if (!bad[name]) failed++ }
        for (name in known) if (!counted[name] && !broken[name]) passed++
        printf "%d passed, %d failed\n", passed, failed
    }' "$logs/LastTestsFailed.log" "$logs/LastTest.log"
exit $status
