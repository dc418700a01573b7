#!/usr/bin/env bash
# Every public header compiles on its own, twice over, as C11 and as C++17, under strict warnings; every public function has
# a description of its own, before it or on its line.
root=$(cd "$(dirname "$0")/../.." && pwd)
. "$root/tests/claim.sh"

compile_alone() { # language, header
    case $1 in
    c11) set -- "$2" "${XP_CC:-cc}" -x c -std=c11 ;;
    c++17) set -- "$2" "${XP_CXX:-g++}" -x c++ -std=c++17 ;;
    esac
    local header=$1
    shift
    printf '#include "experior/%s"\n#include "experior/%s"\n' "$header" "$header" |
        "$@" -pedantic -Wall -Wextra -Wshadow -Werror -fsyntax-only -I "$root/include" -
}

languages=(c11)
if command -v "${XP_CXX:-g++}" >/dev/null; then
    languages+=(c++17)
else
    echo "there is no C++ compiler: headers are compiled as C only"
fi
for path in "$root"/include/experior/*.h; do
    header=$(basename "$path")
    for language in "${languages[@]}"; do
        claim "$header compiles alone as $language" compile_alone "$language" "$header"
    done
done

undescribed() { # files; prints the functions that stand without a comment
    awk '/^XP_API/ { declaration = $0; open = 1; bare = before !~ /\*\/ *$/ }
         open && /\/\*/ { bare = 0 }
         open && /;/ { open = 0; if (bare) { print FILENAME ": " declaration; found = 1 } }
         { before = $0 }
         END { exit !found }' "$@"
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
printf '/* What it does. */\nXP_API int xp_one(void);\nXP_API int xp_two(int a,\n                  int b);\n' >"$work/bare.h"
claim "a function without a description is found" eval 'undescribed "$work/bare.h" | grep -q xp_two'
claim "one with a description is not" eval '! undescribed "$work/bare.h" | grep xp_one'
claim "every public function is described" eval '! undescribed "$root"/include/experior/*.h'
claims_end
