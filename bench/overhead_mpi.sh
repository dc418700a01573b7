#!/usr/bin/env bash
# What MPI and the store cost: a study by two processes of one thread under mpirun against two threads of one process,
# in turns. Prints, for each turn, wall-clock and processor seconds (user + system, of all processes) of both, then the
# median of the ratios. Processor seconds also hold on a machine that does other things; wall-clock needs an idle one.
#
#     overhead_mpi.sh BUILD [TURNS] [STUDY] [SCALE]      3 turns of bandits at scale paper, if nothing is said
set -euo pipefail
build=$(cd "$1" && pwd)
turns=${2:-3} study=${3:-bandits} scale=${4:-paper}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
TIMEFORMAT='%R %U %S'
launch=(mpirun --allow-run-as-root --oversubscribe --bind-to none)

measure() { # directory, command ...
    local place=$1
    shift
    rm -rf "$work/$place"
    { time "$@" study "$study" --scale "$scale" -o "$work/$place" --brief "${threads[@]}" >/dev/null 2>"$work/log"; } 2>&1 |
        awk '{ print $1, $2 + $3 }'
}

echo "turn,threads wall,threads cpu,ranks wall,ranks cpu,wall ratio,cpu ratio"
for ((turn = 1; turn <= turns; turn++)); do
    threads=(--threads 2)
    read -r wall cpu < <(measure threads "$build/experior")
    threads=(--threads 1)
    read -r mpi_wall mpi_cpu < <(measure ranks "${launch[@]}" -n 2 "$build/experior")
    for csv in "$work"/threads/*.csv; do
        cmp "$csv" "$work/ranks/$(basename "$csv")"
    done
    awk -v t="$turn" -v a="$wall" -v b="$cpu" -v c="$mpi_wall" -v d="$mpi_cpu" \
        'BEGIN { printf "%d,%.2f,%.2f,%.2f,%.2f,%.4f,%.4f\n", t, a, b, c, d, c / a, d / b }'
done | tee "$work/turns"
median() { cut -d, -f"$1" "$work/turns" | sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }
echo "median ratio: wall $(median 6), processor $(median 7)"
