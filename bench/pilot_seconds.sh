#!/usr/bin/env bash
# How long are the pilot runs of a study with an empty store? The seconds from the start of the command on one thread
# until it has made its forecast; they include the planning.
#
#     pilot_seconds.sh BUILD STUDY [WORDS]      WORDS: as for --only, for one agent of one study
set -euo pipefail
build=$(cd "${1:?which build directory? pilot_seconds.sh BUILD STUDY [WORDS]}" && pwd)
study=${2:?which study? pilot_seconds.sh BUILD STUDY [WORDS]}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
words=()
[ $# -lt 3 ] || words=(--only "$3")
start=$(date +%s.%N)
coproc command { exec "$build/experior" study "$study" --scale paper --threads 1 --brief -o "$work/out" "${words[@]}" 2>&1; }
while read -r line <&"${command[0]}"; do
    if [[ $line == *" of work, "* ]]; then
        awk -v a="$start" -v b="$(date +%s.%N)" 'BEGIN { printf "%.1f s\n", b - a }'
        kill -INT "$command_PID"
        wait "$command_PID" 2>/dev/null || exit 0
        exit 0
    fi
done
echo "pilot_seconds.sh: no forecast was made" >&2
exit 1
