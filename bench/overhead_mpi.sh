#!/usr/bin/env bash
# What do MPI and the store cost? Runs a study alternately with two processes of one thread each, under mpirun, and with
# one process of two threads. For each turn it prints the wall-clock and processor seconds (user + system, of all
# processes) of both, then the processor seconds that were not spent inside units, and at the end the medians. Processor
# seconds can be trusted on a machine that is doing other things too; wall-clock seconds need an idle one. Ratios drift
# with the machine by a few per cent between turns; seconds outside of units do not.
#
#     overhead_mpi.sh BUILD [TURNS] [STUDY] [SCALE]      defaults: 3 turns of bandits at scale paper
set -euo pipefail
build=$(cd "${1:?which build directory? overhead_mpi.sh BUILD [TURNS] [STUDY] [SCALE]}" && pwd)
turns=${2:-3} study=${3:-bandits} scale=${4:-paper}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
TIMEFORMAT='%R %U %S'
launch=(mpirun --allow-run-as-root --oversubscribe --bind-to none)

measure() { # directory, command ...: its seconds go to $work/seconds
    local place=$1
    shift
    rm -rf "${work:?}/$place"
    if ! { time "$@" study "$study" --scale "$scale" -o "$work/$place" --brief "${threads[@]}" >/dev/null 2>"$work/log"; } \
        2>"$work/seconds"; then
        cat "$work/log" >&2
        exit 1
    fi
}

# What the units in a store took; the rest of the processor seconds is the cost of planning, handing out and filing.
unit_seconds() { # directory
    "$build/experior" report "$work/$1" --json | python3 -c 'import json, sys; print(json.load(sys.stdin)["work"]["seconds"])'
}

echo "turn,threads wall,threads cpu,ranks wall,ranks cpu,wall ratio,cpu ratio,threads cpu outside units,ranks cpu outside units"
for ((turn = 1; turn <= turns; turn++)); do
    threads=(--threads 2)
    measure threads "$build/experior"
    read -r wall cpu < <(awk '{ print $1, $2 + $3 }' "$work/seconds")
    units=$(unit_seconds threads)
    threads=(--threads 1)
    measure ranks "${launch[@]}" -n 2 "$build/experior"
    read -r mpi_wall mpi_cpu < <(awk '{ print $1, $2 + $3 }' "$work/seconds")
    mpi_units=$(unit_seconds ranks)
    for csv in "$work"/threads/*.csv; do
        cmp "$csv" "$work/ranks/$(basename "$csv")"
    done
    awk -v t="$turn" -v a="$wall" -v b="$cpu" -v c="$mpi_wall" -v d="$mpi_cpu" -v e="$units" -v f="$mpi_units" \
        'BEGIN { printf "%d,%.2f,%.2f,%.2f,%.2f,%.4f,%.4f,%.2f,%.2f\n", t, a, b, c, d, c / a, d / b, b - e, d - f }'
done | tee "$work/turns"
median() { cut -d, -f"$1" "$work/turns" | sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }
echo "median ratio: wall $(median 6), processor $(median 7); outside of units: threads $(median 8) s, ranks $(median 9) s"
