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

# Tests that record or wait for other processes depend on time, so they run alone.
timely='LibraryCommand|StreamOrder|DanceFinder|Microphone|AVAudioEngine|AVAudioSession|ManagedSession|SHLibrary|LibrarySync'
tests='swift test -c release --disable-testable-imports --skip-build'
# The options are split into words.
# shellcheck disable=SC2086
run $tests --skip "$timely"
# shellcheck disable=SC2086
run scripts/with-virtual-microphone.sh $tests --no-parallel --filter "$timely"
