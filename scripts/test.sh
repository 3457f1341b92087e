#!/bin/sh
# Installs what is missing, lints, runs the commands of the documentation and all tests. Builds for release, because audio
# code is many times slower without optimisation.
set -eu
cd "$(dirname "$0")/.."

scripts/setup.sh ffmpeg pulseaudio pulseaudio-utils python3 strace zsh fish
scripts/check-structure.py
swift format lint --strict --recursive Sources Tests Package.swift
# The tests import nothing as testable, so that they share one build with the programs.
swift build -c release --build-tests
EARSHOT_BINARY="$(swift build -c release --show-bin-path)/earshot"
# Tests with a missing requirement fail instead of being skipped.
EARSHOT_EVERY_TEST=1
export EARSHOT_BINARY EARSHOT_EVERY_TEST
scripts/check-docs.py

# Runs a command and keeps what it prints in a file. If it fails, its errors are printed again at the end, where they are found.
run() {
    log=$1
    shift
    { "$@" && echo "Every test passed."; } 2>&1 | tee "$log"
    tail -n 1 "$log" | grep -qx 'Every test passed.'
}
failed() {
    echo "These tests failed:"
    grep -h -A 3 -e ' recorded an issue' -e 'error:' "$@" | cut -c 1-2000
    exit 1
}

# The output of the tests, and the elapsed time of each in the format of JUnit.
times=$(mktemp -d)
trap 'slowest; rm -rf "$times"' EXIT
# A test that has begun shares the processors with few others, so that its time is its own.
SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=$(($(nproc) + 1))
export SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH

# Prints the slowest suites, by the times of their tests.
slowest() {
    python3 - "$times"/*.xml <<'END' || true
import sys, xml.etree.ElementTree as tree
suites = {}
for path in filter(lambda path: "*" not in path, sys.argv[1:]):
    for case in tree.parse(path).iter("testcase"):
        seconds, count = suites.get(case.get("classname"), (0, 0))
        suites[case.get("classname")] = (seconds + float(case.get("time")), count + 1)
slowest = sorted(suites.items(), key=lambda suite: -suite[1][0])[:20]
print(f"The slowest {len(slowest)} of {len(suites)} suites:")
for name, (seconds, count) in slowest:
    print(f"{seconds:8.1f} s {count:4d} tests  {name}")
END
}

# Tests that record or wait for other processes depend on time. They run one by one and before all others get the
# processor. They mostly wait, so the others take the time that they leave.
timely='LibraryCommand|StreamOrder|DanceFinder|Microphone|AVAudioEngine|AVAudioSession|ManagedSession|SHLibrary|LibrarySync'
tests='swift test -c release --disable-testable-imports --skip-build --ignore-lock'
status=0
# The options are split into words.
# shellcheck disable=SC2086
run "$times/others.log" nice -n 19 $tests --xunit-output "$times/others.xml" --skip "$timely" &
others=$!
# shellcheck disable=SC2086
run "$times/timely.log" scripts/with-virtual-microphone.sh $tests --xunit-output "$times/timely.xml" --no-parallel --filter "$timely" ||
    status=$?
wait $others || status=$?
[ $status -eq 0 ] || failed "$times"/*.log
