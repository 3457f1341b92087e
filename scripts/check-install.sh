#!/bin/sh
# Checks an installed earshot as a new user would: its version, a match of music made by a formula, and the plan `smoke`.
# Usage: scripts/check-install.sh [PROGRAM]. The program is `earshot` by default. It runs with an empty home, in an empty folder,
# and needs no network.
set -eu
program=$(command -v "${1:-earshot}") || { echo "check-install: ${1:-earshot}: no such program" >&2; exit 1; }
program=$(realpath -s "$program")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
# Only what is installed is used.
unset EARSHOT_CORPORA EARSHOT_BINARY
HOME=$scratch/home
XDG_CACHE_HOME=$scratch/cache
export HOME XDG_CACHE_HOME

"$program" --version
"$program" corpus export synthetic --count 3 --output music >exported.txt
"$program" custom-catalog create -s music -o music.earcatalog >created.txt
"$program" degrade music --chain '[{speed: {percent: 2}}, {noise: {colour: pink, snrDecibels: 0}}]' --output queries >degraded.txt
"$program" match --catalog music.earcatalog --format text queries/*.wav >found.txt
cat found.txt
[ "$(grep -c ' track-0[1-3] ' found.txt)" -eq 3 ] || { echo "check-install: expected an answer to each of 3 queries" >&2; exit 1; }
"$program" evaluate --plan smoke --details 0 --output run >figures.txt
cat figures.txt
