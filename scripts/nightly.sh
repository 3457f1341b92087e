#!/bin/sh
# Runs every check that .ci/run leaves out, each to its end, and prints a table of their outcomes.
# Usage: scripts/nightly.sh [--list] [--again] [--strict] [--only NAME...]
#   --list    print name, minutes at most, needs and command of each check, and run none
#   --only    run these checks
#   --again   also run checks that have passed with the same commit and files
#   --strict  a check that does not run is a failure
# The exit code is 1 if a check fails. Logs and outcomes are in .build/nightly, so a run that was stopped goes on where it was.
# The script installs Debian packages and corpora that checks need, and builds all programs. EARSHOT_PROGRAMS is a folder of
# programs that are built already. It appends the table to the file GITHUB_STEP_SUMMARY. A check that cannot run exits with 77.
set -eu
[ "${1-}" != --help ] || exec sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//p}' "$0"
cd "$(dirname "$0")/.."

# Needs are root, mounts, network, x86_64, a corpus as corpus:NAME, and Debian packages. Commands are of sh, in the folder of the
# package. The last one builds another kind of program.
list() {
    sed 's/ *| */|/g' <<'END'
attack          |  40 | ffmpeg strace                  | scripts/checks/attack.py
attack-server   |  25 |                                | scripts/checks/attack-server.py 10m
power-loss      |  20 | strace                         | scripts/checks/power-loss.py
demonstrations  |  40 |                                | scripts/checks/demonstrations.py
disturbances    |  20 |                                | scripts/checks/disturbances.py
honesty         |  40 |                                | scripts/checks/honesty.py
fuzz            |  60 | ffmpeg                         | scripts/checks/fuzz.sh 600
mutations       |  60 | ffmpeg gstreamer1.0-plugins-good gstreamer1.0-plugins-bad gstreamer1.0-plugins-ugly | scripts/checks/mutations.py
decoders        |  15 | ffmpeg gstreamer1.0-plugins-good gstreamer1.0-plugins-bad gstreamer1.0-plugins-ugly | scripts/checks/decoders.py
degradations    |  15 | network python3-venv           | rm -rf .build/nightly/degradations; python3 -m venv .build/nightly/degradations; .build/nightly/degradations/bin/pip install -q pandas audiomentations pedalboard; .build/nightly/degradations/bin/python scripts/checks/degradations.py
pages           |  30 | chromium chromium-driver       | scripts/checks/pages.py
server          |  60 | chromium chromium-driver haproxy wrk corpus:games-small corpus:speech corpus:ambience | scripts/checks/server.py
slurm           |  40 | root slurm-wlm munge           | scripts/checks/slurm.sh
processors      |  40 | x86_64 qemu-user               | scripts/checks/processors.sh
coverage        |  90 |                                | EARSHOT_COVERAGE_ROUNDS=5000 "$EARSHOT_PROGRAMS/earshotPackageTests.xctest" --testing-library swift-testing --filter CoverageTests
gate-simulation |  90 |                                | EARSHOT_GATE_ROUNDS=200 "$EARSHOT_PROGRAMS/earshotPackageTests.xctest" --testing-library swift-testing --filter GateSimulationTests
documentation   |  30 |                                | scripts/docs.sh .build/nightly/site
install         |  30 |                                | scripts/install.sh "$PWD/.build/nightly/installed"; scripts/checks/installed.sh .build/nightly/installed/bin/earshot
first-program   |  60 | root mounts network mmdebstrap | scripts/checks/first-program.sh
release         | 120 | root mounts network python3-venv python3-numpy python3-yaml g++ | unset EARSHOT_BINARY; rm -rf .build/nightly/release; scripts/release.sh --rehearse .build/nightly/release; scripts/checks/action.py .build/nightly/release/*.whl
optuna          |  15 | network python3-venv           | rm -rf .build/nightly/optuna; python3 -m venv .build/nightly/optuna; .build/nightly/optuna/bin/pip install -q optuna; .build/nightly/optuna/bin/python scripts/tune-optuna.py --earshot "$EARSHOT_BINARY" --storage .build/nightly/optuna/study.log --trials 2 -- --plan smoke --positives 2 --negatives 1 --search lookup.leastPairs
races           | 180 | clang pulseaudio pulseaudio-utils | scripts/checks/races.sh
gate            | 180 | corpus:games corpus:speech     | scripts/checks/gate.sh
ways            | 180 | corpus:games corpus:speech corpus:ambience | rm -rf .build/nightly/ways-run; "$EARSHOT_BINARY" arena run --plan conditions --contestants scripts/adapters/ways.yaml --output .build/nightly/ways-run; scripts/ways.py .build/nightly/ways-run
evaluate        |  60 | corpus:games-small             | scripts/evaluate.sh --positives 2 --negatives 1 --output .build/nightly/evaluation
END
}

fail() {
    echo "nightly: $1" >&2
    exit 64
}
again=
strict=
only=
while [ $# -gt 0 ]; do
    case $1 in
    --list)
        list | tr '|' '\t'
        exit
        ;;
    --again) again=yes ;;
    --strict) strict=yes ;;
    --only)
        while [ $# -gt 1 ] && [ "${2#-}" = "$2" ]; do
            list | grep -q "^$2|" || fail "no check $2. scripts/nightly.sh --list names them"
            only="$only $2 "
            shift
        done
        [ -n "$only" ] || fail "--only needs the name of a check"
        ;;
    *) fail "no option $1. Try scripts/nightly.sh --help" ;;
    esac
    shift
done

state=.build/nightly
mkdir -p "$state"
# What a check has passed with.
commit=$(git rev-parse HEAD)
tree=$({
    echo "$commit"
    git diff HEAD
    git ls-files -z --others --exclude-standard | xargs -0 -r sha256sum
} | sha256sum | cut -d ' ' -f 1)
running=
trap '[ -z "$running" ] || kill "$running" 2>/dev/null || true' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# Builds the programs and tests that checks start.
build() {
    scripts/setup.sh python3
    if [ -z "${EARSHOT_PROGRAMS-}" ]; then
        swift build -c release --build-tests
        EARSHOT_PROGRAMS=$(swift build -c release --show-bin-path)
    fi
    EARSHOT_PROGRAMS=$(realpath "$EARSHOT_PROGRAMS")
    EARSHOT_BINARY=$EARSHOT_PROGRAMS/earshot
    export EARSHOT_PROGRAMS EARSHOT_BINARY NO_COLOR=1
}

meets() {
    case $1 in
    root) [ "$(id -u)" -eq 0 ] ;;
    mounts) unshare --mount mount -t tmpfs tmpfs /mnt ;;
    network) git ls-remote -q "$(sed -n 's/.*url: "\([^"]*\)".*/\1/p' Package.swift | head -n 1)" HEAD ;;
    x86_64) [ "$(uname -m)" = x86_64 ] ;;
    corpus:*) "$EARSHOT_BINARY" corpus fetch "${1#corpus:}" ;;
    *) scripts/setup.sh "$1" ;;
    esac
}

# check NAME MINUTES NEEDS COMMAND: sets the outcome.
check() {
    log=$state/$1.log
    : >"$log"
    for need in $3; do
        meets "$need" >>"$log" 2>&1 </dev/null || {
            outcome="not run: no $(echo "$need" | tr : " ")"
            return
        }
    done
    status=0
    timeout --kill-after=30 "${2}m" sh -euc "$4" >>"$log" 2>&1 </dev/null &
    running=$!
    wait "$running" || status=$?
    running=
    case $status in
    0) outcome=passed ;;
    77) outcome="not run: $(tail -n 1 "$log")" ;;
    124 | 137) outcome="failed: longer than $2 min" ;;
    *) outcome="failed: exit code $status" ;;
    esac
}

wrong=0
built=
printf '| check | outcome | seconds | log |\n|---|---|--:|---|\n' >"$state/table.md"
list >"$state/list"
while IFS='|' read -r name minutes needs command <&3; do
    case ${only:- $name } in *" $name "*) ;; *) continue ;; esac
    if [ -z "$again" ] && [ "$(head -n 1 "$state/$name.passed" 2>/dev/null)" = "$tree" ]; then
        outcome="passed before"
        seconds=$(tail -n 1 "$state/$name.passed")
    else
        rm -f "$state/$name.passed"
        [ -n "$built" ] || build >&2
        built=yes
        echo "nightly: $name" >&2
        began=$(date +%s)
        check "$name" "$minutes" "$needs" "$command"
        seconds=$(($(date +%s) - began))
        [ "$outcome" != passed ] || printf '%s\n%s\n' "$tree" "$seconds" >"$state/$name.passed"
        echo "nightly: $name: $outcome, $seconds s" >&2
    fi
    case $outcome in
    failed*) wrong=1 ;;
    not*) [ -z "$strict" ] || wrong=1 ;;
    esac
    echo "| $name | $outcome | $seconds | \`$state/$name.log\` |" >>"$state/table.md"
done 3<"$state/list"
cat "$state/table.md"
[ -z "${GITHUB_STEP_SUMMARY-}" ] || cat "$state/table.md" >>"$GITHUB_STEP_SUMMARY"
exit "$wrong"
