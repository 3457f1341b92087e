#!/bin/sh
# Sets up, lints and runs all tests. Audio code is 15 to 120 times slower without optimisation, so tests are built for release.
set -eu
cd "$(dirname "$0")/.."

scripts/setup.sh ffmpeg pulseaudio pulseaudio-utils python3
swift format lint --strict --recursive Sources Tests Package.swift
swift build -c release --product earshot
EARSHOT_BINARY="$(swift build -c release --show-bin-path)/earshot"
# Tests that lack what they need are left out elsewhere; here they fail.
EARSHOT_EVERY_TEST=1
export EARSHOT_BINARY EARSHOT_EVERY_TEST

# Those that listen or wait for other processes keep time, and run when the others have left the processor to them.
timely='LibraryCommand|StreamOrder|DanceFinder|Microphone|AVAudioEngine|AVAudioSession|ManagedSession|SHLibrary|LibrarySync'
swift test -c release --skip "$timely"
scripts/with-virtual-microphone.sh swift test -c release --skip-build --no-parallel --filter "$timely"
