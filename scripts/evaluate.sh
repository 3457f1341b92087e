#!/bin/sh
# The main job: sets up, builds, fetches the default corpus, runs the standard plan, prints the table and the report's path.
# Arguments go to `earshot evaluate`, for example: scripts/evaluate.sh --corpus games --positives 40 --negatives 20
# or, on recordings of your own: scripts/evaluate.sh --folder ~/Music
set -eu
cd "$(dirname "$0")/.."

scripts/setup.sh
swift build -c release --product earshot >&2
earshot=$(swift build -c release --show-bin-path)/earshot

corpus=games-small
own=
previous=
for argument in "$@"; do
    if [ "$previous" = --corpus ]; then corpus=$argument; fi
    case $argument in
        --corpus=*) corpus=${argument#*=} ;;
        --folder | --folder=*) own=yes corpus= ;;
        --queries | --queries=*) exec "$earshot" evaluate "$@" ;;
    esac
    previous=$argument
done

# 69: no apt-get, no network or no such package. Anything else that fails is an error.
for name in $corpus speech ambience; do
    "$earshot" corpus fetch "$name" || {
        status=$?
        [ "$status" -eq 69 ] || exit "$status"
        if [ "$own" ]; then
            echo "evaluate: corpus $name cannot be had here; what it would give is made by a formula instead" >&2
            break
        fi
        echo "evaluate: corpus $name cannot be had here; measuring on music made by a formula instead" >&2
        exec "$earshot" evaluate --plan standard "$@" --corpus synthetic
    }
done
exec "$earshot" evaluate --plan standard "$@"
