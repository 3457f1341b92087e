#!/bin/sh
# Checks an installed earshot as a new user would: its version, a match of music made by a formula, and the plan `smoke`.
# Usage: scripts/checks/installed.sh [PROGRAM | WHEEL]. The program is `earshot` by default. It runs with an empty home, in an empty
# folder, and needs no network. A wheel is installed in a new Debian 12 without Swift and without a network, where README's example
# of Python runs too. That takes root, mmdebstrap, and a network for the wheels of NumPy and pandas.
set -eu
[ "${1-}" != --help ] || exec sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//p}' "$0"
case "${1:-}" in
*.whl)
    root=$(mktemp -d)
    trap 'rm -rf "$root"' EXIT
    mmdebstrap --variant=minbase --include=python3-venv bookworm "$root" >&2
    # The Python of Debian 12.
    python3 -m pip download -q --disable-pip-version-check --python-version 3.11 --only-binary :all: -d "$root/wheels" "$1" >&2
    cp "$0" "$root/installed.sh"
    awk '/^### From Python/ { found = 1 } /^```/ { if (inside) exit; inside = found; next } inside' \
        "$(dirname "$0")/../../README.md" >"$root/example.py"
    [ -s "$root/example.py" ] || { echo "installed: README has no example under From Python" >&2; exit 1; }
    begin=$(date +%s)
    # shellcheck disable=SC2016
    unshare --net --mount sh -ec 'mount -t proc proc "$1/proc"; exec chroot "$1" env -i PATH="$PATH" sh -ec "$2"' sh "$root" '
        python3 -m venv /environment
        /environment/bin/pip install -q --no-index --find-links /wheels earshot-judge
        cd /tmp
        /environment/bin/python /example.py
        echo "installed: $(($(date +%s) - '"$begin"')) s to the figures of README" >&2
        sh /installed.sh /environment/bin/earshot'
    exit
    ;;
esac
program=$(command -v "${1:-earshot}") || { echo "installed: ${1:-earshot}: no such program" >&2; exit 1; }
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
[ "$(grep -c ' track-0[1-3] ' found.txt)" -eq 3 ] || { echo "installed: expected an answer to each of 3 queries" >&2; exit 1; }
"$program" evaluate --plan smoke --details 0 --output run >figures.txt
cat figures.txt
