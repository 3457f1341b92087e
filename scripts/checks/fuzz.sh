#!/bin/sh
# Runs mutated audio files, chained ones and those that ffmpeg decodes among them, through the program. Then runs libFuzzer with
# the address sanitizer on the readers of signature and catalog files. Writes failing inputs to .build/fuzzing/failures.
# Arguments: seconds for libFuzzer (60), then its options. EARSHOT_PROGRAMS is the folder of built programs, .build/release by
# default.
set -eu
[ "${1-}" != --help ] || exec sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//p}' "$0"
cd "$(dirname "$0")/../.."

seconds=${1:-60}
[ $# -eq 0 ] || shift
mkdir -p .build/fuzzing/inputs .build/fuzzing/failures
programs=${EARSHOT_PROGRAMS:-.build/release}
"$programs/MutatedAudio" --count 1000 --folder .build/fuzzing/failures -- "$programs/earshot" signature -i {file} -o {out}
# SwiftPM finds new files of a dependency only when it makes a new build plan.
rm -f .build/fuzzing/release.yaml
# The default linker, gold, fails on the sanitizer's symbols.
swift build -c release --package-path Tests/Fuzzing/CatalogFiles --scratch-path .build/fuzzing \
    -Xswiftc -sanitize=fuzzer,address -Xswiftc -use-ld=lld
# Swift's crash handler would replace the sanitizer's. Its runtime does not free all memory, hence no leak detection.
SWIFT_BACKTRACE=enable=no ASAN_OPTIONS=detect_leaks=0 .build/fuzzing/release/CatalogFiles \
    -max_total_time="$seconds" -max_len=65536 -timeout=30 -rss_limit_mb=2048 -artifact_prefix=.build/fuzzing/failures/ \
    "$@" .build/fuzzing/inputs
