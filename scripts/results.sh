#!/bin/sh
# Writes Reports/results.md and the tables of README from Reports/results; folders of runs refresh the figures first.
set -eu
[ "${1-}" != --help ] || exec sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//p}' "$0"
exec python3 "$(dirname "$0")/results.py" "$@"
