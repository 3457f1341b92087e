#!/bin/sh
# Writes the tables of Gates.md: the verdicts of gates on planted changes. The argument is the number of draws for each
# change, 200 by default. Fails, and writes nothing, if a verdict is too rare.
set -eu
[ "${1-}" != --help ] || exec sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//p}' "$0"
cd "$(dirname "$0")/.."

scripts/setup.sh
swift build -c release --build-tests >&2
tests=$(swift build -c release --show-bin-path)/earshotPackageTests.xctest
EARSHOT_GATE_ROUNDS="${1:-200}"
export EARSHOT_GATE_ROUNDS
article=Sources/Evaluation/Evaluation.docc/Gates.md
log=$(mktemp)
trap 'rm -f "$log" "$log.md"' EXIT
"$tests" --testing-library swift-testing --filter 'GateSimulationTests' >"$log" 2>&1 || {
    grep -e '^|' -e 'error:' -e 'issue' "$log" >&2
    exit 1
}
{
    sed '/<!-- tables/q' "$article"
    sed -n '/^|/s/^|$//p; /^| /p; /^|-/p' "$log"
    echo
    sed -n '/<!-- end of tables/,$p' "$article"
} >"$log.md"
mv "$log.md" "$article"
