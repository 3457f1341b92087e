#!/bin/sh
# Installs what is missing, builds, fetches the default corpus and runs the standard plan. Prints the table and the path of
# the report. Arguments go to `earshot evaluate`, for example:
#   scripts/evaluate.sh --corpus games --positives 40 --negatives 20
#   scripts/evaluate.sh --folder ~/Music
set -eu
[ "${1-}" != --help ] || exec sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//p}' "$0"
cd "$(dirname "$0")/.."

# ffmpeg decodes the corpus speech-16k.
scripts/setup.sh ffmpeg
# Without the catalog server.
build() { swift build -c release --product earshot --traits Judge "$@"; }
build >&2
earshot=$(build --show-bin-path)/earshot

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

# Exit code 69 means no apt-get, no network or no such package. Any other failure is an error.
for name in $corpus speech-16k ambience; do
    "$earshot" corpus fetch "$name" || {
        status=$?
        [ "$status" -eq 69 ] || exit "$status"
        if [ "$own" ]; then
            echo "evaluate: corpus $name is not available on this machine; using synthetic speech and ambience instead" >&2
            break
        fi
        echo "evaluate: corpus $name is not available on this machine; using synthetic music instead" >&2
        exec "$earshot" evaluate --plan standard "$@" --corpus synthetic
    }
done
exec "$earshot" evaluate --plan standard "$@"
