#!/bin/sh
# Checks the Python package with the program EARSHOT_BINARY: style, types, tests, and the notebook.
# Installs python3-venv, and the packages of python/requirements.txt into .build/python.
set -eu
[ "${1-}" != --help ] || exec sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//p}' "$0"
cd "$(dirname "$0")/../.."

scripts/setup.sh python3-venv
tools=.build/python
if ! cmp -s python/requirements.txt "$tools/installed.txt"; then
    rm -rf "$tools"
    python3 -m venv "$tools"
    "$tools/bin/pip" install -q --disable-pip-version-check -r python/requirements.txt
    cp python/requirements.txt "$tools/installed.txt"
fi
PATH=$PWD/$tools/bin:$PATH
EARSHOT_BINARY=$(realpath "${EARSHOT_BINARY:-.build/release/earshot}")
export PATH EARSHOT_BINARY
cd python
ruff check .
mypy
pytest tests
