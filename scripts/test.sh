#!/bin/sh
# Installs what is missing, lints, runs the commands of the documentation and all tests. Builds for release, because audio
# code is many times slower without optimisation.
set -eu
cd "$(dirname "$0")/.."

scripts/setup.sh ffmpeg pulseaudio pulseaudio-utils python3 zsh fish
scripts/check-structure.py
swift format lint --strict --recursive Sources Tests Package.swift
# The tests import nothing as testable, so that they share one build with the programs.
swift build -c release --build-tests
EARSHOT_BINARY="$(swift build -c release --show-bin-path)/earshot"
# Tests with a missing requirement fail instead of being skipped.
EARSHOT_EVERY_TEST=1
export EARSHOT_BINARY EARSHOT_EVERY_TEST
scripts/check-docs.py

# Runs a command. If it fails, its errors are printed again at the end of the log, where they are found.
run() {
    log=$(mktemp)
    { "$@" && echo "Every test passed."; } 2>&1 | tee "$log"
    if tail -n 1 "$log" | grep -qx 'Every test passed.'; then
        rm "$log"
    else
        echo "These tests failed:"
        grep -A 3 -e ' recorded an issue' -e 'error:' "$log" | cut -c 1-2000
        rm "$log"
        return 1
    fi
}

# The elapsed time of every test, in the format of JUnit.
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

# Tests that record or wait for other processes depend on time, so they run alone.
timely='LibraryCommand|StreamOrder|DanceFinder|Microphone|AVAudioEngine|AVAudioSession|ManagedSession|SHLibrary|LibrarySync'
tests='swift test -c release --disable-testable-imports --skip-build'
# The options are split into words.
# shellcheck disable=SC2086
run $tests --xunit-output "$times/parallel.xml" --skip "$timely"
# shellcheck disable=SC2086
run scripts/with-virtual-microphone.sh $tests --xunit-output "$times/timely.xml" --no-parallel --filter "$timely"
