#!/bin/sh
# Runs a small fixed evaluation (Corpora/Plans/accuracy.yaml, one to two minutes) and judges it by Reports/gates/accuracy.yaml
# against Reports/baselines/accuracy.json. --record makes the run the baseline.
set -eu
cd "$(dirname "$0")/.."

output=$(mktemp -d)
trap 'rm -rf "$output"' EXIT

swift build -c release --product earshot >&2
earshot="$(swift build -c release --show-bin-path)/earshot"
# Nothing remembered: what is judged is what the sources do now.
"$earshot" evaluate --plan Corpora/Plans/accuracy.yaml --output "$output" --no-cache >&2

if [ "${1:-}" = --record ]; then
    "$earshot" baseline accept "$output" --name accuracy
else
    "$earshot" gate "$output" --rules accuracy --baseline accuracy
fi
