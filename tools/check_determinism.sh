#!/usr/bin/env bash
# The same bytes from every build: gcc and clang, -O1 and -O3, one thread and two. Compares the JSON of a bandit's
# simulation with every agent that acts there (less its timings), of one in an environment with states, and the CSV of
# studies; prints the hash of each and fails if two differ. On the way every build is one without warnings.
#
#     check_determinism.sh [STUDY…]       studies at the quick scale
set -euo pipefail
cd "$(dirname "$0")/.."
studies=("$@")
[ ${#studies[@]} -gt 0 ] || studies=(table2)
top=build-determinism
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

simulate() { # program, threads
    local agents=()
    while read -r agent; do # posterior_sampling wants contexts that can be listed
        [ "$agent" = posterior_sampling ] || agents+=(--agent "$agent")
    done < <("$1" list agents --json |
             python3 -c 'import json, sys; print(*(agent["name"] for agent in json.load(sys.stdin)["agents"]), sep="\n")')
    [ ${#agents[@]} -gt 0 ] || { echo "'$1 list agents' names no agents" >&2; return 1; }
    agents+=(--agent experior_maxent:beta=10,sampler=mcmc --agent oracle_ts:sampler=sgld)
    "$1" simulate --arms 5 --priors 3 --tasks 24 --episodes 150 --demonstrations 200 --seed 7 --threads "$2" \
        "${agents[@]}" --json 2>"$work/messages" | sed -E '/"[a-z_]*seconds":/d'
}

dive() { # program, threads
    "$1" simulate --env deep_sea --size 6 --goal any --tasks 4 --episodes 60 --demonstrations 50 --seed 7 \
        --threads "$2" --agent posterior_sampling --agent boot_dqn --agent experior_param --agent experior_maxent \
        --agent experior_maxent:prior=max_entropy,chain_steps=100 --agent explore \
        --agent lmc_dqn:chain_steps=100 --agent behaviour_cloning --json 2>"$work/messages" |
        sed -E '/"[a-z_]*seconds":/d'
}

study() { # program, threads, name
    local directory=$work/study
    rm -rf "$directory"
    "$1" study "$3" --scale quick --seed 7 --threads "$2" -o "$directory" >"$work/messages" 2>&1
    cat "$directory/$3.csv"
}

different=0
printf '%-14s %-8s %-20s %s\n' build threads what sha256
for compiler in gcc clang; do
    for level in O1 O3; do
        build=$top/$compiler-$level
        if ! { cmake -S . -B "$build" -G Ninja -DCMAKE_C_COMPILER="$compiler" -DCMAKE_BUILD_TYPE=Release \
                     -DCMAKE_C_FLAGS_RELEASE="-$level" -DXP_TESTS=OFF -DCMAKE_COMPILE_WARNING_AS_ERROR=ON &&
               cmake --build "$build" --target experior; } >"$work/build" 2>&1; then
            cat "$work/build" >&2
            exit 1
        fi
        for threads in 1 2; do
            for what in simulate dive "${studies[@]}"; do
                result=$work/result
                if [ "$what" = simulate ] || [ "$what" = dive ]; then
                    "$what" "$build/experior" "$threads" >"$result" || { cat "$work/messages" >&2; exit 1; }
                else
                    study "$build/experior" "$threads" "$what" >"$result" || { cat "$work/messages" >&2; exit 1; }
                fi
                [ -s "$result" ] || { echo "$what printed nothing" >&2; exit 1; }
                hash=$(sha256sum <"$result" | cut -c 1-16)
                mark=
                if [ ! -f "$work/first-$what" ]; then
                    cp "$result" "$work/first-$what"
                elif ! cmp -s "$result" "$work/first-$what"; then
                    mark="differs from the first"
                    different=1
                    diff "$work/first-$what" "$result" | head -n 6 >&2 || true
                fi
                printf '%-14s %-8s %-20s %s %s\n' "$compiler -$level" "$threads" "$what" "$hash" "$mark"
            done
        done
    done
done
exit $different
