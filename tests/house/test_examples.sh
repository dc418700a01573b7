#!/usr/bin/env bash
# Examples print what is written beside them; so do the README's commands.
set -u
source "$XP_SOURCE_DIR/tests/claim.sh"
cd "$XP_SOURCE_DIR"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

prints() { # prints FILE COMMAND…: the command's output, in a folder where it may write, is the file
    local wanted=$XP_SOURCE_DIR/$1
    shift
    (cd "$work" && "$@" >got && diff "$wanted" got)
}

for source in examples/*.c; do
    name=$(basename "$source" .c)
    claim "example $name prints its .txt" prints "examples/$name.txt" "$XP_BINARY_DIR/examples/$name"
done

in_readme() { # every line of a command's output stands, indented, in the README
    "$@" >"$work/got" || return 1
    sed 's/^/    /' "$work/got" | while IFS= read -r line; do
        grep -qxF -- "$line" README.md || { echo "not in README.md: $line"; return 1; }
    done
}
claim "the README's fit works" "$XP_BINARY_DIR/experior" fit examples/data/treatments.csv -o "$work/model.json"
claim "the README shows what decide prints" in_readme "$XP_BINARY_DIR/experior" decide "$work/model.json" \
    --history examples/data/treatments_history.csv
claims_end
