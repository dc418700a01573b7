#!/usr/bin/env bash
# The scripts that others rest on: the counting of tests, and the installation of what is missing (with stand-ins for
# apt-get, sudo and id, so that nothing is installed).
root=$(cd "$(dirname "$0")/../.." && pwd)
. "$root/tests/claim.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Six programs: claims that pass, claims that fail, a crash after good claims, a hang, none at all, and one without claims.
cat >"$work/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.25)
project(tests NONE)
enable_testing()
add_test(NAME good COMMAND sh -c "echo '3 passed, 0 failed'")
add_test(NAME quiet COMMAND true)
if(ALL)
    add_test(NAME bad COMMAND sh -c "echo '1 passed, 2 failed'; exit 1")
    add_test(NAME crash COMMAND sh -c "echo '5 passed, 0 failed'; kill -9 $$")
    add_test(NAME hang COMMAND sleep 20)
    add_test(NAME absent COMMAND /nonexistent)
    set_tests_properties(hang PROPERTIES TIMEOUT 1)
endif()
END

counts() { # wanted status (0 or not), wanted line, then CMake's arguments
    local wanted=$1 line=$2 said status=0
    shift 2
    cmake -S "$work" -B "$work/build" -G Ninja "$@" >/dev/null || return 1
    said=$("$root/tools/run_tests.sh" "$work/build" 2>/dev/null) || status=1
    echo "status $status, last line: $(tail -n 1 <<<"$said")"
    [ "$status" = "$wanted" ] && [ "$(tail -n 1 <<<"$said")" = "$line" ]
}

# A machine with no tools but those of a bare system; apt-get writes down what it is asked for.
bare=$work/bare
mkdir "$bare"
for tool in bash sh env sort cat grep dirname rm touch chmod true; do
    ln -s "$(type -P "$tool")" "$bare/$tool"
done
stand_in() { # name, script
    printf '#!/bin/sh\n%s\n' "$2" >"$bare/$1"
    chmod +x "$bare/$1"
}
machine() { # user id, has apt-get, has sudo, apt-get works
    rm -f "$bare"/{id,apt-get,sudo,clang-format} "$work/asked"
    stand_in id "echo $1"
    if [ "$2" = yes ]; then
        local effect="touch '$bare/clang-format'; chmod +x '$bare/clang-format'"
        [ "$4" = yes ] || effect="exit 100"
        stand_in apt-get "echo \"\$*\" >>'$work/asked'; case \"\$*\" in *install*) $effect ;; esac"
    fi
    if [ "$3" = yes ]; then
        stand_in sudo "echo sudo \"\$1\" >>'$work/asked'; shift; exec \"\$@\""
    fi
}
install_format() { # wanted status, text wanted in the output
    local said status=0
    said=$(PATH=$bare "$bare/bash" "$root/tools/install_packages.sh" format 2>&1) || status=1
    echo "status $status: $said"
    [ "$status" = "$1" ] && grep -qF -- "$2" <<<"$said"
}
asked() {
    cat "$work/asked"
    grep -qF -- "$1" "$work/asked"
}
asked_nothing() {
    [ ! -e "$work/asked" ]
}
unknown_purpose() {
    ! "$root/tools/install_packages.sh" nonsense
}

claim "claims of all programs are added up" counts 0 "4 passed, 0 failed"
claim "a crash, a hang and an absent program count as failures" counts 1 "10 passed, 5 failed" -DALL=ON
machine 0 yes no yes
claim "root installs what is missing" install_format 0 "installing: clang-format"
claim "lists are refreshed first" asked "update"
claim "only what was named is installed" asked "install -y --no-install-recommends clang-format"
rm "$work/asked"
claim "what is there is not installed again" install_format 0 ""
claim "and the network is left alone" asked_nothing
machine 1000 yes yes yes
claim "a user with sudo installs what is missing" install_format 0 "installing: clang-format"
claim "sudo is not let to ask for a password without a terminal" asked "sudo -n"
machine 1000 yes no yes
claim "a user without sudo is told what to type" install_format 1 \
      "sudo apt-get install --no-install-recommends clang-format"
claim "and nothing is tried" asked_nothing
machine 0 yes no no
claim "a failed installation is reported with what to type" install_format 1 \
      "sudo apt-get install --no-install-recommends clang-format"
machine 1000 no no no
claim "another system is told what is needed" install_format 1 "Install what these Debian packages hold"
claim "an unknown purpose is refused" unknown_purpose

# Expected: 1 - 0.025^(1/30) = 0.1157, the exact interval of no failure in 30; and verdicts by hand from means and standard errors.
verdicts() { # wanted line; a table of three cells
    mkdir -p "$work/tables"
    head='agent,spec,group,measure,priors,mean,se,paper_mean,paper_se,runs'
    printf '%s\n' "$head" 'A,a,low,final regret,9,5,0.1,5.2,0.2,' 'A,a,mid,final regret,9,5,0.1,9,0.2,' 'A,a,high,final regret,9,5,3,6,3,' \
        >"$work/tables/table2.csv"
    printf '%s\n' "$head" 'A,a,any,share of runs solved in the end,15,1,0,,,2' >"$work/tables/figure4.csv"
    printf '%s\n' "$head" 'Naive,n,"pomdp, n = 9, β = 1","expected return, exact",15,-24,0,-24,0,2' \
        'Naive,n,"pomdp, n = 9, β = 10","expected return, exact",15,-24,0,-24,0,2' >"$work/tables/table3.csv"
    said=$("$root/tools/agreement.py" "$work/tables")
    echo "$said"
    grep -qF -- "$1" <<<"$said"
}
claim "near, far and uncertain cells have the three verdicts" verdicts "A: 1 / 1 / 1 of 3"
claim "runs that cells share count once" verdicts "Naive: 1 / 0 / 0 of 1"
claim "failures have exact intervals" verdicts "A: 0 of 30 [0.000, 0.116]"

# A unit of 10 s, 2 s of them for its fit: in two tasks it takes 2 + 8 / 2 s, of 128 tasks or of one it is not divided.
projected() { # tasks; seconds on 2 processes
    rm -rf "$work/store" && mkdir "$work/store"
    python3 - "$work/store/study.sqlite" "$1" <<'END'
import contextlib, sqlite3, struct, sys
with contextlib.closing(sqlite3.connect(sys.argv[1])) as store, store:
    store.execute("CREATE TABLE unit (key, seed, version, numbers)")
    store.execute("INSERT INTO unit VALUES (?, 1, '0', ?)",
                  (f"deep_sea:size=3/0/optimal/n=1,tasks={sys.argv[2]},t=1/agent", struct.pack("<26d", *[0.0] * 4, 2.0, 10.0, *[0.0] * 20)))
END
    said=$("$root/tools/simulate_cluster.py" --store "$work/store" --leader 0 --latency 0)
    echo "$said"
    grep -q "^2,$2," <<<"$said"
}
claim "a projection divides a long unit into its tasks" projected 2 6.0
claim "with a fit for each" projected 16 20.0
claim "but not one of many tasks" projected 128 10.0
claim "nor one of one task" projected 1 10.0

# Two problems of 15, of 100 and 200 s, 50 s in half a third one, and four of "own set": 15 x 150 s, off by
# sd x sqrt(13 + 13 x 13 / 2) = 70.71 x 9.874 = 698 s.
hours() { # wanted line
    rm -rf "$work/store" && mkdir "$work/store"
    python3 - "$work/store/study.sqlite" <<'END'
import contextlib, sqlite3, struct, sys
units = [("bernoulli_bandit", 0, "", 0, 5.0), ("deep_sea", 0, "", 0, 7.0)]
units += [("frozen_lake", p, "", a, s) for p, s in ((0, 50.0), (1, 100.0), (2, 50.0)) for a in range(1 if p == 2 else 2)]
units += [("frozen_lake", p, ",own_context", 0, 1.0) for p in range(4)]
with contextlib.closing(sqlite3.connect(sys.argv[1])) as store, store:
    store.execute("CREATE TABLE unit (key, numbers)")
    for name, problem, own, agent, seconds in units:
        store.execute("INSERT INTO unit VALUES (?, ?)",
                      (f"{name}:x/{problem}/optimal{own}/n=1/{agent}", struct.pack("<26d", *[0.0] * 5, seconds, *[0.0] * 20)))
END
    said=$("$root/tools/paper_hours.py" "$work/store")
    echo "$said"
    grep -qF "$1" <<<"$said"
}
claim "problems that are not finished are taken to be like the others" hours "2 of 15 problems, 5 units, 350 s; whole: 2250 ± 698 s"
claim "what is whole is not scaled" hours "own set: 4 of 4 problems, 4 units, 4 s; whole: 4 ± 0 s"

mkdir -p "$work/runs"
cat >"$work/runs/s-runs.csv" <<'END'
key,agent,group,measure,prior,run,value
k,new,easy,m,0,1,3
k,new,easy,m,0,2,3
k,new,own set,m,0,1,9
k,old,easy,m,0,1,5
k,old,easy,m,0,2,3
k,old,own set,m,0,1,1
END
paired() { # wanted, further words
    said=$("$root/tools/paired_runs.py" "$work/runs" s new old --measure m "${@:2}")
    grep -qF -- "$1" <<<"$said"
}
claim "runs are paired by setting, problem and task" paired "3 runs paired: 1 end higher, 1 lower, 1 at the same value"
claim "a pair that differs is named" paired "- easy, problem 0, run 1: −2.0"
claim "settings can be left out" paired "2 runs paired: 0 end higher, 1 lower, 1 at the same value" --without "own set"
claims_end
