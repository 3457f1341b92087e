#!/bin/sh
# Counts the instructions of fixed work and compares them with Reports/baselines/instructions.json, within 2 %.
# Exit codes: 0 equal, 1 error, 2 more instructions, 4 fewer instructions (an improvement to record), 5 no baseline.
# Argument: --record writes the baseline. Without EARSHOT_PROGRAMS, a folder of built programs, it builds.
set -eu
[ "${1-}" != --help ] || exec sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//p}' "$0"
cd "$(dirname "$0")/../.."

baseline=Reports/baselines/instructions.json
percent=2
case "${1:-}" in
    "" | --record) ;;
    *) echo "usage: scripts/checks/cost.sh [--record]" >&2; exit 64 ;;
esac
if [ "$(uname -m)" != x86_64 ]; then
    echo "cost: no baseline for $(uname -m); expected x86_64" >&2
    exit 1
fi
if ! scripts/setup.sh valgrind || ! command -v valgrind >/dev/null 2>&1; then
    echo "cost: valgrind is missing; install it (Debian: apt install valgrind)" >&2
    exit 1
fi
if [ -z "${EARSHOT_PROGRAMS:-}" ]; then
    swift build -c release --product FixedWork >&2
    EARSHOT_PROGRAMS=$(swift build -c release --show-bin-path)
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
# valgrind 3.19 cannot read the debugging information that Clang writes for C.
work=$folder/FixedWork
strip --strip-debug -o "$work" "$EARSHOT_PROGRAMS/FixedWork"
# Counts only inside the two functions. Valgrind emulates one processor, which fixes the C library's choices by
# processor. The seed of hash tables is fixed too.
SWIFT_DETERMINISTIC_HASHING=1 valgrind --tool=callgrind --callgrind-out-file="$folder/counts" \
    --toggle-collect='*countedExtraction*' --toggle-collect='*countedMatching*' "$work" >"$folder/log" 2>&1 || {
    cat "$folder/log" >&2
    exit 1
}
callgrind_annotate --inclusive=yes --auto=no "$folder/counts" >"$folder/table"

# The instructions of a function and its callees.
count() {
    sed -n "s/^ *\([0-9,]*\) .*:[^:]*$1.*/\1/p" "$folder/table" | head -n 1 | tr -d ,
}
# A number of the baseline.
recorded() {
    sed -n "s/^ *\"$1\": *\"\{0,1\}\([^\",]*\).*/\1/p" "$baseline"
}
version=$(swift --version 2>/dev/null | sed -n 's/.*Swift version \([0-9.]*\).*/\1/p' | head -n 1)
fftw=$(pkg-config --modversion fftw3f)
extraction=$(count countedExtraction)
matching=$(count countedMatching)
if [ -z "$extraction" ] || [ -z "$matching" ]; then
    echo "cost: the profile has no countedExtraction or countedMatching" >&2
    exit 1
fi

if [ "${1:-}" = --record ]; then
    mkdir -p "$(dirname "$baseline")"
    cat >"$baseline.part" <<END
{
  "extraction": $extraction,
  "matching": $matching,
  "swift": "$version",
  "fftw": "$fftw"
}
END
    mv "$baseline.part" "$baseline"
    echo "recorded in $baseline: extraction $extraction, matching $matching instructions"
    exit 0
fi
if [ ! -f "$baseline" ]; then
    echo "cost: no $baseline. Run scripts/checks/cost.sh --record" >&2
    exit 5
fi

status=0
for name in extraction matching; do
    now=$(count "counted$(echo "$name" | sed 's/^e/E/; s/^m/M/')")
    before=$(recorded $name)
    if [ -z "$before" ]; then
        echo "cost: $baseline has no figure for $name. Run scripts/checks/cost.sh --record" >&2
        exit 5
    fi
    echo "$name: $now instructions, recorded $before ($(((now - before) * 1000 / before)) per mille)"
    if [ "$now" -gt $((before + before * percent / 100)) ]; then
        echo "cost: $name takes more than $percent % more instructions than recorded" >&2
        status=2
    elif [ "$now" -lt $((before - before * percent / 100)) ]; then
        echo "cost: $name takes more than $percent % fewer instructions than recorded" >&2
        [ "$status" -ne 0 ] || status=4
    fi
done
if [ "$status" -ne 0 ]; then
    echo "cost: if this is intended, run scripts/checks/cost.sh --record and commit $baseline" >&2
    if [ "$version" != "$(recorded swift)" ] || [ "$fftw" != "$(recorded fftw)" ]; then
        echo "cost: recorded with Swift $(recorded swift) and FFTW $(recorded fftw), counted with $version and $fftw" >&2
    fi
fi
exit "$status"
