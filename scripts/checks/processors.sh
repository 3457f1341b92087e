#!/bin/sh
# Makes signatures and matches queries on emulated processors without newer instructions. The answers must equal those of
# this processor, with peaks within one step. Arguments: processors by their names in qemu-x86_64. EARSHOT_PROGRAMS is the folder of
# built programs, .build/release by default.
set -eu
[ "${1-}" != --help ] || exec sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//p}' "$0"
cd "$(dirname "$0")/../.."

[ $# -gt 0 ] || set -- Nehalem Haswell
bin=${EARSHOT_PROGRAMS:-.build/release}
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT

"$bin/earshot" degrade --plan smoke --positives 8 --negatives 0 --output "$folder/songs" >"$folder/log" 2>&1
songs="$(ls "$folder"/songs/truncation_10-s_*.wav)"
# shellcheck disable=SC2086 # several files
"$bin/earshot" degrade $songs --chain '[{speed: {percent: 1}}, {noise: {colour: pink, snrDecibels: 3}}]' \
    --output "$folder/queries" >>"$folder/log" 2>&1

answer() { # folder of the results, command that runs earshot
    mkdir "$folder/$1"
    results="$folder/$1"
    shift
    pairs=
    for song in $songs; do
        "$@" "$bin/earshot" signature -i "$song" -o "$results" >>"$folder/log" 2>&1
        pairs="$pairs -s $results/$(basename "$song" .wav).earsignature"
    done
    # shellcheck disable=SC2086
    "$@" "$bin/earshot" custom-catalog create $pairs -o "$results/songs.earcatalog" >>"$folder/log" 2>&1
    # A pipe would hide a failure.
    "$@" "$bin/earshot" match --catalog "$results/songs.earcatalog" "$folder"/queries/*.wav >"$results/lines"
    # Figures may differ in their last digits, and times differ.
    sed 's/"matchMilliseconds":[^,]*,//; s/\(\.[0-9]\{2\}\)[0-9]*/\1/g' "$results/lines" >"$results/answers"
    grep -q '"reference"' "$results/answers" || {
        echo "processors: no query has an answer" >&2
        exit 1
    }
}

answer here env
for processor in "$@"; do
    answer "$processor" qemu-x86_64 -cpu "$processor"
    pairs=
    for signature in "$folder"/here/*.earsignature; do
        pairs="$pairs $signature $folder/$processor/$(basename "$signature")"
    done
    # shellcheck disable=SC2086
    difference=$("$bin/SignatureDifference" $pairs)
    echo "$processor: $difference"
    diff "$folder/here/answers" "$folder/$processor/answers"
    echo "$processor: equal answers to $(grep -c '"reference"' "$folder/here/answers") queries"
done
