#!/bin/sh
# Prints the options of `swift build` for a program to hand out: with a static Swift library, as small as it can be, in the
# scratch folder .build-package. Installs libcurl4-openssl-dev, binutils and gcc.
set -eu
[ "${1-}" != --help ] || exec sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//p}' "$0"
cd "$(dirname "$0")/../.."

# A static Foundation links libcurl by its name without a version.
scripts/setup.sh libcurl4-openssl-dev binutils gcc
mkdir -p .build-package
icu=$(scripts/parts/small-icu.py .build-package/icu.o)
# A static Swift library exports all symbols, so that the linker can leave none out.
echo "--static-swift-stdlib --scratch-path .build-package -Xswiftc -Xfrontend -Xswiftc -function-sections" \
    "-Xlinker --no-export-dynamic $icu"
