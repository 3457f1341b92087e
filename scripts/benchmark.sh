#!/bin/sh
# Measures analysis, enrolment and lookup as ratios to reference work in the same run. Arguments go to FrontEndBenchmark,
# for example: scripts/benchmark.sh --folder music --json
set -eu
cd "$(dirname "$0")/.."

scripts/setup.sh
swift build -c release --product FrontEndBenchmark >&2
exec "$(swift build -c release --show-bin-path)/FrontEndBenchmark" "$@"
