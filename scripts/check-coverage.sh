#!/bin/sh
# Shows how often 95 % intervals contain the true rate, by number of recordings, correlation of queries of one
# recording, and queries of each. The argument is the number of draws for each condition, 5000 by default. Fails if
# an interval contains it too seldom.
set -eu
if [ "${1-}" = --help ]; then
    sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//p}' "$0"
    exit
fi
cd "$(dirname "$0")/.."

scripts/setup.sh
EARSHOT_COVERAGE_ROUNDS="${1:-5000}"
export EARSHOT_COVERAGE_ROUNDS
log=$(mktemp)
trap 'rm -f "$log"' EXIT
failed=0
swift test -c release --disable-testable-imports --filter 'CoverageTests' >"$log" || failed=$?
echo '| recordings | correlation | queries of each | 0.5 | 0.8 | 0.9 | 0.95 | 0.98 | 0.99 | 0.999 |'
echo '|---|---|---|---|---|---|---|---|---|---|'
# Conditions are measured in parallel and end in any order.
sed -n '/^|/p' "$log" | sort -t '|' -k 2,2n -k 3,3n -k 4,4n
sed -n '/error:/p; /issue/p' "$log" >&2
exit "$failed"
