#!/bin/sh
# The story on one screen: what experts chose, the prior fitted to it, the first decisions, and the regret that a
# study measured. Every number comes from the files given or from what the program writes; nothing else is needed.
#   story.sh PROGRAM DEMOS.csv HISTORY.csv MODEL.json REPORT_DIRECTORY STUDY
# DEMOS.csv has the columns action,count; MODEL.json is written.
set -eu
LC_ALL=C # awk counts bytes everywhere alike
export LC_ALL
program=$1 demos=$2 history=$3 model=$4 report=$5 study=$6

"$program" fit "$demos" -o "$model" >/dev/null
before=$("$program" decide "$model")
after=$("$program" decide "$model" --history "$history")

# Shared by the two tables. A column of text may have letters of several bytes.
functions='
function width(text) { gsub(/[\200-\277]/, "", text); return length(text) }
function padded(text, columns) {
    while (width(text) < columns) text = text " "
    return text
}
function cells(line, cell,    n, at, quoted, c) { # a line of CSV
    split("", cell); n = 1; cell[1] = ""; quoted = 0
    for (at = 1; at <= length(line); at++) {
        c = substr(line, at, 1)
        if (c == "\"") quoted = !quoted
        else if (c == "," && !quoted) cell[++n] = ""
        else if (c != "\r") cell[n] = cell[n] c
    }
    return n
}
'

# Rows of the laws are "name  probability  bar"; what decide says below them has no such columns.
{
    sed 's/^/chosen,/' "$demos"
    sed 's/^/seen,/' "$history"
    printf '%s\n' "$before" | sed 's/^/before,/'
    printf '%s\n' "$after" | sed 's/^/after,/'
} | awk -v demos="$demos" "$functions"'
{ kind = $0; sub(/,.*/, "", kind); line = $0; sub(/^[a-z]*,/, "", line) }
kind == "chosen" && ++lines > 1 {
    cells(line, cell); name[++count] = cell[1]; times[cell[1]] = cell[2]; total += cell[2]
    if (width(cell[1]) > widest) widest = width(cell[1])
}
kind == "seen" && ++rewards > 1 {
    cells(line, cell); told = told (told == "" ? "" : "; ") cell[1] " " cell[2]
}
kind == "before" || kind == "after" {
    split(line, part, /  +/); law[kind, part[1]] = part[2]
}
END {
    printf "1. What experts chose, what ExPerior makes of it (%s)\n", demos
    printf "  %s   chosen in   P(best), which is   the same after\n", padded("", widest)
    printf "  %s %3d choices  the first decision      %2d rewards\n", padded("", widest), total, rewards - 1
    for (i = 1; i <= count; i++)
        printf "  %s %11d  %18s  %15s\n", padded(name[i], widest), times[name[i]], law["before", name[i]],
               law["after", name[i]]
    printf "  Rewards: %s.\n\n", told
}'

# The strongest of the agents that learn without a prior from the experts, or copy them without learning.
setting=$(sed -n 's/.* \([0-9]* tasks from each, T = [0-9]* episodes\).*/, \1/p' "$report/$study.json" | head -n 1)
awk -v study="$study" -v setting="$setting" "$functions"'
function signed(number) { return sprintf("%+.1f", number) }
function show(row, what) {
    printf "  %s  %6.1f ± %-4.1f  %s  %s\n", padded(agent[row], widest), mean[row], se[row],
           padded(low[row] == "" ? "" : signed(difference[row]) " [" signed(low[row]) ", " signed(high[row]) "]", 20), what
}
NR == 1 { n = cells($0, cell); for (i = 1; i <= n; i++) column[cell[i]] = i }
NR > 1 {
    cells($0, cell)
    if (cell[column["group"]] != "all" || cell[column["measure"]] != "final regret") next
    spec = cell[column["spec"]]; value = cell[column["mean"]]
    if (spec == "oracle_ts") row = "oracle"
    else if (spec == "experior_maxent") row = "own"
    else if (spec ~ /^(naive_|behaviour_cloning)/ && (!("simple" in mean) || value < mean["simple"])) row = "simple"
    else next
    agent[row] = cell[column["agent"]]; mean[row] = value; se[row] = cell[column["se"]]
    problems[row] = cell[column["priors"]]; difference[row] = cell[column["difference"]]
    low[row] = cell[column["difference_low"]]; high[row] = cell[column["difference_high"]]
    if (width(agent[row]) > widest) widest = width(agent[row])
}
END {
    if (!("oracle" in mean) || !("own" in mean) || !("simple" in mean)) {
        print "story.sh: " study ".csv lacks the agents that the story is about" > "/dev/stderr"
        exit 1
    }
    printf "2. What that is worth (%s: %d simulated problems%s)\n", study, problems["own"], setting
    printf "  %s  regret ± SE    minus the oracle\n", padded("", widest)
    show("oracle", "knows the true prior: the aim")
    show("own", "knows what experts chose")
    show("simple", "the strongest simple baseline here")
    print "  Regret is the reward lost by not always choosing the best arm; brackets are 95 % intervals."
    print "  ExPerior " (low["own"] > 0 ? "loses more than the oracle" : high["own"] < 0 ? \
          "loses less than the oracle" : "cannot be told apart from the oracle") "; " agent["simple"] \
          (low["simple"] > 0 ? " loses more." : high["simple"] < 0 ? " loses less." : " cannot be told apart from it.")
}' "$report/$study.csv"
printf '3. All of it: %s/index.html\n' "$report"
