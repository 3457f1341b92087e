#!/bin/sh
# Writes Reports/results.md and the tables of README from Reports/results; folders of runs refresh the figures first.
set -eu
if [ "${1-}" = --help ]; then
    sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//p}' "$0"
    exit
fi
exec python3 "$(dirname "$0")/results.py" "$@"
