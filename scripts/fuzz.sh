#!/bin/sh
# Runs libFuzzer with the address sanitizer on the readers of signature and catalog files. Arguments: seconds (60 unless
# given), then options of libFuzzer. Inputs that fail are written to .build/fuzzing/failures.
set -eu
cd "$(dirname "$0")/.."

seconds=${1:-60}
[ $# -eq 0 ] || shift
# A package that another depends on is looked through for new files only when the plan is made anew.
rm -f .build/fuzzing/release.yaml
# The linker that is taken otherwise, gold, fails on the sanitizer's symbols.
swift build -c release --package-path Tests/Fuzzing/CatalogFiles --scratch-path .build/fuzzing \
    -Xswiftc -sanitize=fuzzer,address -Xswiftc -use-ld=lld
mkdir -p .build/fuzzing/inputs .build/fuzzing/failures
# Swift's own crash handler would stand in front of the sanitizer's; its runtime keeps some memory to the end.
SWIFT_BACKTRACE=enable=no ASAN_OPTIONS=detect_leaks=0 .build/fuzzing/release/CatalogFiles \
    -max_total_time="$seconds" -max_len=65536 -timeout=30 -rss_limit_mb=2048 -artifact_prefix=.build/fuzzing/failures/ \
    "$@" .build/fuzzing/inputs
