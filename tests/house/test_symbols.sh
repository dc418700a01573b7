#!/usr/bin/env bash
# The shared library exports what the public headers declare, no more and no less, and that is the committed list
# symbols.txt: a name that comes or goes shows in a review. To renew the list after a change that is meant:
#     bash tests/house/test_symbols.sh --declared >tests/house/symbols.txt
root=$(cd "$(dirname "$0")/../.." && pwd)
export LC_ALL=C

declared() { # a declaration may take several lines; its name stands before the first parenthesis
    cat "$root"/include/experior/*.h | tr '\n' ' ' | grep -o 'XP_API [^;(]*(' | grep -o 'xp_[a-z0-9_]*(' | tr -d '(' | sort -u
}

if [ "${1:-}" = --declared ]; then
    declared
    exit
fi
. "$root/tests/claim.sh"
library=${XP_BINARY_DIR:-$root/build}/libexperior.so

exported() {
    nm -D --defined-only "$library" | awk '{ print $3 }' | sort -u
}

same() { # what a command prints, and what another one does
    diff <("$1") <("$2")
}

committed() {
    cat "$root/tests/house/symbols.txt"
}

internal_exported() {
    exported | grep '^xp__'
}

# Threads share the state of the first line; the library never prints, ends the program or reads the environment.
forbidden_called() {
    local names='lgammaf?|gamma|strtok|s?rand|s?random|[a-z]rand48|localtime|gmtime|asctime|ctime|setlocale'
    names+='|printf|puts|putchar|exit|_exit|abort|getenv|secure_getenv|setenv|putenv'
    nm -D --undefined-only "$library" | awk '{ sub(/@.*/, "", $2); print $2 }' | grep -xE "$names"
}

left_out_of_arguments() { # public functions that no test_arguments*.c calls
    local name
    while read -r name; do
        grep -qw "$name" "$root"/tests/house/test_arguments*.c || echo "$name"
    done < <(declared) | grep .
}

soname_has_minor_version() { # before 1.0 a minor version may change the interface
    local version
    version=$(sed -n 's/^project(experior VERSION \([0-9]*\.[0-9]*\).*/\1/p' "$root/CMakeLists.txt")
    [ -n "$version" ] && readelf -d "$library" | grep "SONAME.*\[libexperior\.so\.$version\]"
}

if [ "${XP_INSTRUMENTED:-0}" = 1 ]; then # compilers add names of their own
    echo "an instrumented library: its symbols are not compared"
else
    claim "the shared library exports what the headers declare" same declared exported
    claim "no internal name is exported" eval '! internal_exported'
    claim "nothing is called that threads may not share, or that prints, ends the program or reads its environment" \
        eval '! forbidden_called'
fi
claim "what the headers declare is the committed list" same declared committed
claim "bad arguments are passed to every public function" eval '! left_out_of_arguments'
claim "the library's name on the disk has the minor version" soname_has_minor_version
claims_end
