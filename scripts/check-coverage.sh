#!/bin/sh
# Shows how often 95 % intervals contain the true rate, by number of recordings, correlation of queries of one
# recording, and queries of each. The argument is the number of draws for each condition, 5000 by default.
set -eu
cd "$(dirname "$0")/.."

scripts/setup.sh
EARSHOT_COVERAGE_ROUNDS="${1:-5000}"
export EARSHOT_COVERAGE_ROUNDS
echo '| recordings | correlation | queries of each | 0.5 | 0.8 | 0.9 | 0.95 | 0.98 | 0.99 | 0.999 |'
echo '|---|---|---|---|---|---|---|---|---|---|'
swift test -c release --disable-testable-imports --filter 'CoverageTests' | sed -n '/^|/p; /error:/p; /issue/p'
