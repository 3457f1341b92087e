#!/bin/sh
# Checks for Swift 6.2 or later and installs missing Debian packages. Arguments: further Debian packages.
set -eu
[ "${1-}" != --help ] || exec sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//p}' "$0"

if ! command -v swift >/dev/null 2>&1; then
    echo "setup: no swift on PATH. Install Swift 6.2 or later from https://www.swift.org/install/linux/" >&2
    exit 1
fi
version=$(swift --version 2>/dev/null | sed -n 's/.*Swift version \([0-9]*\.[0-9]*\).*/\1/p' | head -n 1)
major=${version%%.*}
minor=${version#*.}
if [ "${major:-0}" -lt 6 ] || { [ "$major" -eq 6 ] && [ "$minor" -lt 2 ]; }; then
    echo "setup: found Swift ${version:-none}. Install Swift 6.2 or later from https://www.swift.org/install/linux/" >&2
    exit 1
fi

missing=
for package in pkg-config libsndfile1-dev libfftw3-dev libsamplerate0-dev librubberband-dev libspeexdsp-dev libtag1-dev \
    libsqlite3-dev nettle-dev libcurl4 libpulse-dev libjs-chart.js "$@"; do
    dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null | grep -qx installed || missing="$missing $package"
done
if [ -n "$missing" ]; then
    if ! command -v apt-get >/dev/null 2>&1; then
        echo "setup: no apt-get on PATH. Install these Debian packages by other means:$missing" >&2
        exit 1
    fi
    as_root=
    [ "$(id -u)" -eq 0 ] || as_root=sudo
    echo "setup: installing$missing" >&2
    log=$(mktemp)
    trap 'rm -f "$log"' EXIT
    # apt waits for the lock of packages, not for those of lists and archives.
    apt() {
        for _ in $(seq 60); do
            status=0
            $as_root env DEBIAN_FRONTEND=noninteractive LC_ALL=C apt-get -o DPkg::Lock::Timeout=600 -q "$@" >"$log" 2>&1 || status=$?
            cat "$log" >&2
            if [ "$status" -eq 0 ] || ! grep -q 'Could not get lock' "$log"; then break; fi
            sleep 10
        done
        return "$status"
    }
    apt update
    # The list is split into words.
    # shellcheck disable=SC2086
    apt install -y --no-install-recommends $missing
fi
