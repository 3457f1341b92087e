#!/bin/sh
# Prints what analysis, enrolment and look-up cost, as ratios to yardsticks of the same run. Arguments go to FrontEndBenchmark,
# for example: scripts/benchmark.sh --folder music --json
set -eu
cd "$(dirname "$0")/.."

scripts/setup.sh
swift build -c release --product FrontEndBenchmark >&2
exec "$(swift build -c release --show-bin-path)/FrontEndBenchmark" "$@"
