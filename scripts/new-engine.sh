#!/bin/sh
# Makes a new engine whole. Usage: scripts/new-engine.sh [--list] [--settings] [--only NAME...]
#   --list      print the steps, with about how many minutes each takes on two cores, and run none
#   --settings  keep the weights: only other settings or code changed
#   --only      measure these figures only
# First it fits the weights to Reports/evidence, builds, and records the gates' baselines, which prints what is won and lost by
# condition. These belong to the commit that changes the engine, with a new version in Sources/Signatures/Settings.swift: it stops
# until they are committed. Started again, it measures each published figure on its own test half, which is a look that
# Reports/looks.csv counts, takes the exam at last, which each engine may do once, and writes Reports/results.md, README and the
# tables of articles. Runs are in
# .build/new-engine/VERSION: what is finished is not measured again. Rivals keep their columns.
# The tables `foretelling`, `ways` and `versions` need other matchers or recordings: they keep the mark of their engine.
set -eu
[ "${1-}" != --help ] || exec sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//p}' "$0"
cd "$(dirname "$0")/.."

# Name of the figures, minutes, and the command of `earshot`.
list() {
    sed 's/ *| */|/g' <<'END'
standard    |   5 | evaluate --plan standard
conditions  |   5 | evaluate --plan conditions
negatives   |  10 | evaluate --plan negatives
confidence  |  15 | evaluate --plan conditions --negative-folds 5
rows        |   5 | evaluate --plan rows
ladder      |  15 | arena run --plan ladder --matcher earshot
arena       |   3 | arena run --plan conditions --positives 10 --negatives 5 --matcher earshot
tuned       |   2 | arena run --plan conditions --positives 4 --negatives 2 --matcher earshot
streams     |  15 | streams --half test
intros      |  15 | intros
growth      |  40 | growth --plan conditions --positives 8 --negatives 2 --hours 15 100 1000 10000
exam-standard   |  5 | evaluate --plan standard --corpus exam --exam Reports/looks.csv
exam-conditions |  8 | evaluate --plan conditions --corpus exam --exam Reports/looks.csv
exam-negatives  | 10 | evaluate --plan negatives --corpus exam --exam Reports/looks.csv
END
}

fail() {
    echo "new-engine: $1" >&2
    exit 64
}
fits=yes
only=
while [ $# -gt 0 ]; do
    case $1 in
    --list)
        list | tr '|' '\t'
        exit
        ;;
    --settings) fits= ;;
    --only)
        while [ $# -gt 1 ] && [ "${2#-}" = "$2" ]; do
            list | grep -q "^$2|" || fail "no figures $2. scripts/new-engine.sh --list names them"
            only="$only $2 "
            shift
        done
        [ -n "$only" ] || fail "--only needs the name of figures"
        ;;
    *) fail "no option $1. Try scripts/new-engine.sh --help" ;;
    esac
    shift
done

version=$(sed -n 's/.*engineVersion = "\(.*\)"/\1/p' Sources/Signatures/Settings.swift)
scripts/setup.sh ffmpeg python3 python3-scipy valgrind fluidsynth
[ -z "$fits" ] || python3 scripts/fit-engine.py
swift build -c release
EARSHOT_PROGRAMS=$(swift build -c release --show-bin-path)
export EARSHOT_PROGRAMS
# A baseline is of the version that it names.
if ! grep -q "\"version\" : \"$version\"" Reports/baselines/accuracy.json; then
    scripts/checks/accuracy.sh --music --record
    scripts/checks/cost.sh --record
fi
[ -z "$(git status --porcelain --untracked-files=no -- Sources Reports/baselines)" ] ||
    fail "engine $version is not committed. Commit its sources and Reports/baselines, and start again"

for corpus in games-small games speech-16k speech ambience renditions exam; do
    "$EARSHOT_PROGRAMS/earshot" corpus fetch "$corpus"
done
runs=.build/new-engine/$version
mkdir -p "$runs"
list >"$runs/list"
minutes=0
while IFS='|' read -r name time command; do
    case ${only:- $name } in *" $name "*) [ -e "$runs/$name.measured" ] || minutes=$((minutes + time)) ;; esac
done <"$runs/list"
echo "new-engine: measuring engine $version takes about $minutes minutes on two cores" >&2
options=
while IFS='|' read -r name time command <&3; do
    case ${only:- $name } in *" $name "*) ;; *) continue ;; esac
    options="$options --$name $runs/$name"
    # The ladder also tells how often each stated confidence was right.
    [ "$name" != ladder ] || options="$options --calibration $runs/$name/Earshot"
    [ ! -e "$runs/$name.measured" ] || continue
    # A run that was stopped goes on where it was.
    # shellcheck disable=SC2086
    "$EARSHOT_PROGRAMS/earshot" $command --output "$runs/$name" >"$runs/$name.log" 2>&1 || {
        tail -n 20 "$runs/$name.log" >&2
        fail "$name was not measured"
    }
    touch "$runs/$name.measured"
    echo "new-engine: $name is measured" >&2
done 3<"$runs/list"
# At last, so that all runs are of the commit and not of files that differ from it.
# shellcheck disable=SC2086
python3 scripts/results.py $options
python3 scripts/results.py --verify
