#!/usr/bin/env bash
# Every public header compiles on its own, twice over, as C11 and as C++17, under strict warnings.
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
claims_end
