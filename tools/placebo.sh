#!/bin/sh
# placebo.sh: does ExPerior-Param at β = 0.1 need what the demonstrations say? In Frozen Lake it learns from demonstrations, and from
# the same ones with the actions of each shuffled among its steps: the same states, the same actions, and no relation between them.
# Usage: tools/placebo.sh EXPERIOR DIR        (an hour on one core; interrupted, the same command resumes)
set -eu
experior=$1
dir=$2
mkdir -p "$dir"
for sight in pomdp mdp; do
    "$experior" demos --env frozen_lake --observation $sight --hazards 9 --expert noisily_rational --beta 0.1 --count 1000 --seed 77 \
        -o "$dir/shown_$sight.csv"
    python3 - "$dir/shown_$sight.csv" "$dir/shuffled_$sight.csv" <<'PY'
import csv, itertools, random, sys
source, target = sys.argv[1:]
with open(source) as file:
    head, *steps = csv.reader(file)
chance = random.Random(1)
with open(target, "w", newline="") as file:
    out = csv.writer(file, lineterminator="\n")
    out.writerow(head)
    for _, group in itertools.groupby(steps, key=lambda step: step[0]):
        group = list(group)
        actions = [step[-1] for step in group]
        chance.shuffle(actions)
        out.writerows(step[:-1] + [action] for step, action in zip(group, actions))
PY
    cat >"$dir/placebo_$sight.json" <<JSON
{"name": "placebo_$sight", "environments": "frozen_lake:observation=$sight,hazards=9", "experts": "noisily_rational:beta=0.1",
 "demonstrations": ["shown_$sight.csv", "shuffled_$sight.csv"],
 "agents": "experior_param:learning_rate=5e-5,pretrain_steps=5000,beta=0.1",
 "seeds": 77, "problems": 5, "tasks": 1, "episodes": 6000}
JSON
    "$experior" sweep "$dir/placebo_$sight.json" --threads 1 -o "$dir/sweep"
done
