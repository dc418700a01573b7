#!/usr/bin/env bash
# What is installed can be used: found by CMake and by pkg-config, linked shared and static, from C and from C++,
# and from another place than the one it was installed to.
root=$(cd "$(dirname "$0")/../.." && pwd)
. "$root/tests/claim.sh"

if [ "${XP_INSTRUMENTED:-0}" = 1 ]; then
    echo "an instrumented library cannot be linked into plain programs"
    claims_end
    exit
fi
build=${XP_BINARY_DIR:-$root/build}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
prefix=$work/moved
cat >"$work/consumer.c" <<'END'
#include <experior/experior.h>
#include <stdio.h>

int main(void) {
    xp_rng rng = xp_rng_seed(1);
    xp_env *env = NULL;
    xp_error error;
    if (xp_env_create("bernoulli_bandit", &rng, &env, &error) != XP_OK) {
        (void)fprintf(stderr, "%s\n", error.message);
        return 1;
    }
    xp_env_destroy(env);
    return puts(xp_version()) < 0;
}
END
cp "$work/consumer.c" "$work/consumer.cpp"
cat >"$work/dataset.c" <<'END'
#include <experior/experior.h>
#include <stdio.h>

int main(int argc, char **argv) {
    xp_demos *demos = NULL;
    xp_error error;
    if (argc != 2 || xp_demos_load(argv[1], &demos, &error) != XP_OK) {
        (void)fprintf(stderr, "%s\n", error.message);
        return 1;
    }
    (void)printf("%zu distinct\n", xp_demos_distinct(demos));
    xp_demos_destroy(demos);
    return 0;
}
END
cat >"$work/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.25)
project(consumer LANGUAGES C)
find_package(experior 0.2 REQUIRED COMPONENTS static)
add_executable(shared consumer.c)
target_link_libraries(shared PRIVATE experior::experior)
add_executable(static consumer.c)
target_link_libraries(static PRIVATE experior::experior_static)
END

install_and_move() {
    cmake --install "$build" --prefix "$work/installed" && mv "$work/installed" "$prefix"
}

cmake_builds() {
    cmake -S "$work" -B "$work/cmake" -G Ninja -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_C_COMPILER="${XP_CC:-cc}" &&
        cmake --build "$work/cmake"
}

version() {
    "$prefix"/bin/experior --version | grep -q '^experior [0-9]'
}

prints_version() {
    [ "$(LD_LIBRARY_PATH=$prefix/lib "$@")" = "$(pkg-config --modversion experior)" ]
}

with_pkg_config() { # name, compiler and source, then pkg-config's flags
    local name=$1 compiler=$2 source=$3
    shift 3
    # shellcheck disable=SC2046 # the flags are words
    "$compiler" "$work/$source" -o "$work/$name" $(pkg-config "$@" --cflags experior) $(pkg-config "$@" --libs experior)
}

static_with_pkg_config() {
    # Only libexperior is to be static. `pkg-config --static` would go on to what static versions of the libraries
    # below need, which their packages need not have brought along.
    local below
    below=$(pkg-config --print-requires-private experior) && [ -n "$below" ] &&
        # shellcheck disable=SC2046,SC2086 # the flags are words
        "${XP_CC:-cc}" "$work/consumer.c" -o "$work/c_static" $(pkg-config --cflags experior) \
            "$prefix/lib/libexperior.a" $(pkg-config --libs $below) -pthread -lm
}

shared_program_reads_dataset() { # the program lies outside the prefix, its library inside
    with_pkg_config dataset "${XP_CC:-cc}" dataset.c &&
        [ "$(cd / && LD_LIBRARY_PATH=$prefix/lib "$work/dataset" "$work/seed.hdf5")" = "2 distinct" ]
}

tool_reads_dataset() {
    local told # how many numbers its states have is known only to one who has read it
    told=$("$prefix"/bin/experior fit "$work/seed.hdf5" -o "$work/model" 2>&1) || [[ $told == *"numbers a state"* ]]
}

pkg_config_names_hdf5() {
    pkg-config --print-requires-private experior | grep -i hdf5
}

exports_only_public_names() {
    local others
    others=$(nm -D --defined-only "$prefix/lib/libexperior.so" | awk '$3 !~ /^xp_[a-z]/ { print $3 }')
    echo "$others"
    [ -z "$others" ]
}

export PKG_CONFIG_PATH=$prefix/lib/pkgconfig
claim "the build installs" install_and_move
claim "every public header is installed" diff -r "$root/include/experior" "$prefix/include/experior"
claim "the shared library exports public names only" exports_only_public_names
claim "a CMake project builds with both libraries" cmake_builds
claim "a program made by CMake runs with the shared library" prints_version "$work/cmake/shared"
claim "a program made by CMake runs with the static library" prints_version "$work/cmake/static"
claim "pkg-config's flags build a C program" with_pkg_config c_shared "${XP_CC:-cc}" consumer.c
claim "that program runs" prints_version "$work/c_shared"
claim "what pkg-config names below it links the static library" static_with_pkg_config
claim "that program runs without the shared library" prints_version "$work/c_static"
if command -v g++ >/dev/null; then
    claim "pkg-config's flags build a C++ program" with_pkg_config cpp_shared g++ consumer.cpp
    claim "that program runs" prints_version "$work/cpp_shared"
fi
claim "pkg-config does not ask for HDF5" eval '! pkg_config_names_hdf5'
if [ -x "$build/tests/write_minari" ]; then
    "$build/tests/write_minari" "$work/seed.hdf5"
    claim "the program that reads HDF5 is installed" test -x "$prefix/libexec/experior/experior-hdf5"
    claim "a program outside the prefix reads a Minari dataset through the shared library" shared_program_reads_dataset
    claim "the installed tool reads a Minari dataset" tool_reads_dataset
fi
if [ -x "$build/experior" ]; then
    claim "the installed tool runs" version
fi
claims_end
