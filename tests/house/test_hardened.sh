#!/usr/bin/env bash
# What is built and installed for use, as its ELF files tell: which libraries it loads and from where, and that it is
# hardened.
root=$(cd "$(dirname "$0")/../.." && pwd)
. "$root/tests/claim.sh"
build=${XP_BINARY_DIR:-$root/build}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

files=("$build/experior" "$build/libexperior.so")
for program in "$build"/libexec/experior/experior-{hdf5,serve,mpi.so}; do
    [ ! -e "$program" ] || files+=("$program")
done

# The current directory is an empty element, or one that does not begin at the root or at the file's own place.
is_safe_path() { # a search path, elements between colons
    awk -F : '{ for (i = 1; i <= NF; i++) if ($i !~ /^(\/|\$ORIGIN(\/|$))/) { print "element " i ": \"" $i "\""; exit 1 } }' \
        <<<"$1:/"
}

loads_from_safe_places() { # file
    local path
    while read -r path; do
        echo "$1: $path"
        is_safe_path "$path" || return 1
    done < <(readelf -dW "$1" | sed -nE 's/.*\((RPATH|RUNPATH)\).*\[(.*)\]/\2/p')
}

refuses_path() { ! is_safe_path "$1"; }

does_not_need() { # file, the libraries as a pattern
    ! readelf -dW "$1" | grep -iE "NEEDED.*($2)"
}

needs() { readelf -dW "$1" | grep -iqE "NEEDED.*$2"; }

binds_now() { readelf -dW "$1" | grep -E 'FLAGS' | grep -qE 'BIND_NOW|NOW'; }
has_relro() { readelf -lW "$1" | grep -q GNU_RELRO; }
has_plain_stack() { readelf -lW "$1" | grep -E 'GNU_STACK' | grep -qv 'RWE'; }
is_placed_anywhere() { readelf -hW "$1" | grep -qE 'Type: +DYN'; }
guards_its_stack() { readelf --dyn-syms -W "$1" | grep -q __stack_chk_fail; }
checks_its_copies() { readelf --dyn-syms -W "$1" | grep -qE ' __[a-z]+_chk'; }

claim "an empty element of a search path is found" refuses_path "/usr/lib/x:"
claim "an empty element in the middle is found" refuses_path "/usr/lib/x::/usr/lib/y"
claim "a relative element is found" refuses_path "lib:/usr/lib/x"
claim "a search path of absolute places is fine" is_safe_path "/usr/lib/x:\$ORIGIN/../lib"
for file in "$build/experior" "$build/libexperior.so"; do
    claim "$(basename "$file") does not load HDF5" does_not_need "$file" hdf5
    claim "$(basename "$file") does not load MPI" does_not_need "$file" 'lib(mpi|mpich|open-rte|open-pal|pmi)'
    claim "$(basename "$file") loads nothing that only the service needs" does_not_need "$file" 'microhttpd|libpq|crypto|ssl'
done
if [ -x "$build/libexec/experior/experior-serve" ]; then
    claim "the service loads libmicrohttpd, which is not part of it" needs "$build/libexec/experior/experior-serve" microhttpd
    if grep -q '^XP_POSTGRESQL:STRING=\(AUTO\|ON\)' "$build/CMakeCache.txt" && pkg-config --exists 'libpq >= 14'; then
        claim "the service loads libpq, which is not part of it" needs "$build/libexec/experior/experior-serve" libpq
    fi
fi
if [ -e "$build/libexec/experior/experior-mpi.so" ]; then
    claim "the plug-in for several machines loads MPI" needs "$build/libexec/experior/experior-mpi.so" libmpi
fi
instrumented=${XP_INSTRUMENTED:-0}
if [ "$instrumented" = 0 ]; then
    claim "the build installs" cmake --install "$build" --prefix "$work"
    while read -r file; do
        files+=("$file")
    done < <(find "$work" -type f \( -path '*/bin/*' -o -path '*/libexec/*' -o -name '*.so*' \))
fi
for file in "${files[@]}"; do
    name=${file#"$build"/}
    name=${name/#"$work"/installed}
    claim "$name loads nothing from the current directory" loads_from_safe_places "$file"
    [ "$instrumented" = 0 ] || continue
    claim "$name binds its symbols at the start" binds_now "$file"
    claim "$name makes them read-only" has_relro "$file"
    claim "$name has a stack that is not executed" has_plain_stack "$file"
    claim "$name can be placed anywhere" is_placed_anywhere "$file"
    claim "$name guards its stack" guards_its_stack "$file"
    claim "$name checks the sizes of copies" checks_its_copies "$file"
done
claims_end
