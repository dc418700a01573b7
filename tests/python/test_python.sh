#!/usr/bin/env bash
# The Python package, as its users meet it: built by pip in an environment of its own, tested there, typed, documented;
# and its wheel alone in a bare root. Without PyPI there is nothing to test with: this is said and the test is left out,
# unless XP_PYTHON_PACKAGE=required (as in CI). In a build with sanitizers the extension module of that build is tested.
root=$(cd "$(dirname "$0")/../.." && pwd)
build=${XP_BINARY_DIR:-$root/build}
export XP_SOURCE_DIR=$root XP_BINARY_DIR=$build
venv=$root/build/venv
python=$venv/bin/python
log=$build/python.log
: >"$log"

leave_out() {
    echo "the Python package is left out: $1"
    tail -n 5 "$log"
    [ "${XP_PYTHON_PACKAGE:-}" = required ] && exit 1
    exit 77
}

sanitizers=$(sed -n 's/^XP_SANITIZE:STRING=//p' "$build/CMakeCache.txt")
case $sanitizers in
*address*) [ -f "$build/python/experior/_core.abi3.so" ] || leave_out "this build has no extension module" ;;
*) [ "${XP_INSTRUMENTED:-0}" = 0 ] || leave_out "it is tested in the release build and under the address sanitizer" ;;
esac
"$root/tools/python_env.sh" "$venv" >>"$log" 2>&1 || leave_out "an environment cannot be made"

passed=0
failed=0
step() { # a name and a command whose output is shown if it fails
    local name=$1
    shift
    if "$@" >"$log" 2>&1; then
        passed=$((passed + 1))
    else
        echo "FAILED $name"
        tail -n 60 "$log"
        failed=$((failed + 1))
    fi
}
suite() { # pytest, whose tests are counted one by one
    local counts
    (cd "$root" && "$@" -m pytest -q -p no:cacheprovider tests/python) >"$log" 2>&1
    local status=$?
    counts=$(tail -n 1 "$log")
    passed=$((passed + $(grep -oE '[0-9]+ passed' <<<"$counts" | grep -oE '[0-9]+' || echo 0)))
    if [ $status -ne 0 ]; then
        local wrong
        wrong=$(grep -oE '[0-9]+ (failed|error)' <<<"$counts" | grep -oE '[0-9]+' | paste -sd+)
        failed=$((failed + ${wrong:-1}))
        tail -n 80 "$log"
    fi
}

if [ -n "$sanitizers" ]; then
    stage=$build/python
    cp "$root"/python/experior/*.py "$root"/python/experior/py.typed "$stage/experior/"
    export ASAN_OPTIONS=detect_leaks=0:detect_odr_violation=0 PYTHONPATH=$stage PYTHONMALLOC=malloc
    runtime=$("${XP_CC:-gcc}" -print-file-name=libasan.so):$("${XP_CC:-gcc}" -print-file-name=libstdc++.so.6)
    suite env LD_PRELOAD="$runtime" "$python" -P
else
    wheels=$build/wheelhouse
    rm -rf "$wheels"
    # Build isolation: pip takes scikit-build-core from PyPI. The build folder is kept, so that a second run is short.
    # Less optimised than what users get, which takes two thirds of the time, and must give the same numbers as the
    # build's own programs (test_equality.py).
    step the_package_builds "$python" -m pip wheel -q --no-deps -w "$wheels" -C build-dir="$build/wheel" \
        -C cmake.define.CMAKE_C_FLAGS_RELEASE="-O1 -DNDEBUG" "$root"
    step the_package_installs "$python" -m pip install -q --no-deps --force-reinstall "$wheels"/experior-*.whl
    suite "$python" -P
    step the_package_is_typed env -C "$root" "$python" -m mypy --strict python/experior
    step the_notebooks_were_run_and_are_typed "$python" "$root/tools/run_notebooks.py" --check
    step the_pages_are_made_from_docstrings "$root/tools/python_pages.sh" "$python" "$build/python_pages"
    step the_wheel_stands_alone "$root/tools/check_wheel.sh" "$wheels"/experior-*.whl "$build/bare" "$python"
fi
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
