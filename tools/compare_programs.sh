#!/usr/bin/env bash
# Whether two builds of the program give the same results, and how their speeds compare:
#
#     tools/compare_programs.sh OLD NEW [STUDY…]      studies at the quick scale, by default those of bandits
#
# Prints the hash of each study's CSV from both programs, then the processor time of some simulations, the programs
# taking turns, as the ratio of their least times. Fails if a hash differs. Times are for reading, not for judging.
set -euo pipefail
[ $# -ge 2 ] || { sed -n '2,8s/^# \{0,1\}//p' "$0" >&2; exit 2; }
old=$1 new=$2
shift 2
studies=("$@")
[ ${#studies[@]} -gt 0 ] || studies=(figure2 figure3a figure3b table1 table2)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

csv_of() { # program, study, folder
    mkdir -p "$work/$3"
    "$1" study "$2" --scale quick --seed 1 -o "$work/$3" >"$work/said" 2>&1 || { cat "$work/said" >&2; return 1; }
    sha256sum <"$work/$3/$2.csv" | cut -c 1-16
}

different=0
printf '%-16s %-18s %s\n' study old new
for study in "${studies[@]}"; do
    one=$(csv_of "$old" "$study" old) other=$(csv_of "$new" "$study" new)
    printf '%-16s %-18s %-18s %s\n' "$study" "$one" "$other" "$([ "$one" = "$other" ] && echo same || echo DIFFERENT)"
    [ "$one" = "$other" ] || different=1
done

seconds() { # processor time of a command
    local TIMEFORMAT=%U
    { time "$@" >/dev/null 2>&1; } 2>&1
}

bandit=(simulate --arms 10 --threads 1)
sea=(simulate --env deep_sea --size 10 --goal any --tasks 1 --episodes 300 --threads 1)
turns=7
printf '\n%-44s %8s %8s  %s\n' "processor time, least of $turns turns" old new new/old
for what in "${bandit[*]} --tasks 400 --agent experior_maxent" "${bandit[*]} --tasks 4 --agent experior_maxent:beta=10,sampler=mcmc" \
            "${bandit[*]} --tasks 400 --agent experior_param" "${sea[*]} --agent boot_dqn" "${sea[*]} --agent experior_maxent"; do
    read -ra words <<<"$what"
    for ((turn = 0; turn < turns; turn++)); do
        echo "old $(seconds "$old" "${words[@]}")"
        echo "new $(seconds "$new" "${words[@]}")"
    done | awk -v name="${what##*--agent }" '
        !($1 in least) || $2 < least[$1] { least[$1] = $2 }
        END { printf "%-44s %8.3f %8.3f  %.3f\n", name, least["old"], least["new"], least["new"] / least["old"] }'
done
exit $different
