#!/bin/sh
# Checks the Python package with the program EARSHOT_BINARY: style, types, tests, and the notebook.
# Installs python3-venv, and the packages of python/requirements.txt into .build/python.
set -eu
cd "$(dirname "$0")/.."

scripts/setup.sh python3-venv
tools=.build/python
if ! cmp -s python/requirements.txt "$tools/installed.txt"; then
    rm -rf "$tools"
    python3 -m venv "$tools"
    if ! "$tools/bin/pip" install -q --disable-pip-version-check -r python/requirements.txt; then
        # All else can be tested without an index of Python packages.
        echo "check-python: NOT CHECKED, because its packages could not be installed" >&2
        exit 0
    fi
    cp python/requirements.txt "$tools/installed.txt"
fi
PATH=$PWD/$tools/bin:$PATH
EARSHOT_BINARY=$(realpath "${EARSHOT_BINARY:-.build/release/earshot}")
export PATH EARSHOT_BINARY
cd python
ruff check .
mypy
pytest tests
