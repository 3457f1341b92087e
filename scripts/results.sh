#!/bin/sh
# Writes Reports/results.md and the tables of README from Reports/results; folders of runs refresh the figures first.
set -eu
exec python3 "$(dirname "$0")/results.py" "$@"
