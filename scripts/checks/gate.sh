#!/bin/sh
# Checks the verdict of the gate on known changes with real music. The changes are queries that begin one sample later, a
# narrower range of skews, fewer peaks, and an improvement. An hour on two cores.
# Arguments: the number of seeds (20), a folder for the runs. EARSHOT_BINARY is the program, .build/release/earshot by default.
set -eu
[ "${1-}" != --help ] || exec sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//p}' "$0"
cd "$(dirname "$0")/../.."

seeds=${1:-20}
folder=${2-}
if [ -z "$folder" ]; then
    folder=$(mktemp -d)
    trap 'rm -rf "$folder"' EXIT
fi
earshot=${EARSHOT_BINARY:-.build/release/earshot}
mkdir -p "$folder"
failed=0

evaluate() { # folder of the run, options
    output="$folder/$1"
    shift
    "$earshot" evaluate --details 0 --output "$output" "$@" >"$output.txt" 2>"$output.log"
}
judge() { # run, baseline, exit codes that are right: prints the verdict
    code=0
    "$earshot" gate "$folder/$1" --baseline "$folder/$2.json" --markdown "$folder/$1.md" >"$folder/$1.gate" || code=$?
    echo "$1: exit $code: $(head -n 1 "$folder/$1.gate")"
    case $3 in *$code*) ;; *) failed=1 && echo "$1: expected exit $3" ;; esac
}
accept() { "$earshot" baseline accept "$folder/$1" --name "$folder/$1.json" >/dev/null; }

# Few trials for each of many seeds.
panel="--plan regression --positives 30 --negatives 10"
seed=1
while [ "$seed" -le "$seeds" ]; do
    # shellcheck disable=SC2086 # several words
    evaluate "before-$seed" $panel --seed "$seed" --cache-gigabytes 0
    accept "before-$seed"
    # shellcheck disable=SC2086
    evaluate "after-$seed" $panel --seed "$seed" --start-shift 1 --cache-gigabytes 0
    judge "after-$seed" "before-$seed" "0 3"
    seed=$((seed + 1))
done

evaluate skew --plan skew-range
accept skew
# log2(1.03), a search up to 3 %.
evaluate skew-narrow --plan skew-range --set lookup.widestOctaves=0.0427
judge skew-narrow skew 2
grep '^  fail' "$folder/skew-narrow.gate" | cut -d : -f 1-2
# The reverse is an improvement. The count is that of the changed lines of the baseline.
accept skew-narrow
judge skew skew-narrow 4
cp "$folder/skew-narrow.json" "$folder/improved.json"
"$earshot" baseline accept "$folder/skew" --name "$folder/improved.json" >/dev/null
diff "$folder/skew-narrow.json" "$folder/improved.json" | wc -l

evaluate peaks --plan regression
accept peaks
evaluate peaks-fewer --plan regression --set analysis.referenceRank=2
judge peaks-fewer peaks 2
sed -n '/all trials/p' "$folder/peaks-fewer.md"

evaluate few --plan regression --positives 3 --negatives 1
accept few
evaluate few-again --plan regression --positives 3 --negatives 1 --start-shift 1
judge few-again few "0 3"
cat "$folder/few-again.gate"
exit "$failed"
