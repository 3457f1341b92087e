#!/bin/sh
# Runs a small fixed evaluation and compares it with a baseline. It takes about two minutes.
# Plan: Corpora/Plans/accuracy.yaml. Rules: Reports/gates/accuracy.yaml. Baseline: Reports/baselines/accuracy.json.
# Argument: --record makes the run the baseline. Without EARSHOT_PROGRAMS, a folder of built programs, it builds.
set -eu
[ "${1-}" != --help ] || exec sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//p}' "$0"
cd "$(dirname "$0")/../.."

output=$(mktemp -d)
trap 'rm -rf "$output"' EXIT

if [ -z "${EARSHOT_PROGRAMS:-}" ]; then
    swift build -c release --product earshot >&2
    EARSHOT_PROGRAMS=$(swift build -c release --show-bin-path)
fi
earshot=$EARSHOT_PROGRAMS/earshot
# Without the cache, so that every figure is from the present sources.
"$earshot" evaluate --plan Corpora/Plans/accuracy.yaml --output "$output" --no-cache >&2

if [ "${1:-}" = --record ]; then
    "$earshot" baseline accept "$output" --name accuracy
else
    "$earshot" gate "$output" --rules accuracy --baseline accuracy
fi
