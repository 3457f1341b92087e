#!/bin/sh
# Runs the commands of minimised cases. Each case must fail (exit code 2), and one step less must not.
#
# usage: scripts/check-minimised.sh FOLDER [COUNT]
# FOLDER is the output of `earshot minimise --output`. COUNT is the number of cases, 3 by default.
set -eu
folder=$(cd "$1" && pwd)
count=${2:-3}
cd "$(dirname "$0")/.."
PATH=$PWD/.build/release:$PATH
tab=$(printf '\t')
cases=0 commands=0 wrong=0
while IFS=$tab read -r expected trial change command; do
    # Only the line of the case itself has exit code 2.
    if [ "$expected" = 2 ]; then cases=$((cases + 1)); fi
    [ "$cases" -le "$count" ] || break
    status=0
    sh -c "$command" >/dev/null 2>&1 </dev/null || status=$?
    commands=$((commands + 1))
    if [ "$status" != "$expected" ]; then
        wrong=$((wrong + 1))
        echo "exit code $status instead of $expected: $command"
    fi
done <"$folder/commands.tsv"
[ "$commands" -gt 0 ] || { echo "$folder/commands.tsv has no command"; exit 1; }
echo "$commands commands, $wrong with another exit code"
[ "$wrong" = 0 ]
