#!/bin/sh
# Sets up, lints and runs all tests. Audio code is 15 to 120 times slower without optimisation, so tests are built for release.
set -eu
cd "$(dirname "$0")/.."

scripts/setup.sh ffmpeg
swift format lint --strict --recursive Sources Tests Package.swift
swift build -c release --product earshot
EARSHOT_BINARY="$(swift build -c release --show-bin-path)/earshot" swift test -c release
