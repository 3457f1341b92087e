#!/bin/sh
# Makes everything of a release from a clone, and checks it: a wheel, a Debian package, the image of a container, a software
# bill of materials, and SHA256SUMS of all.
# Usage: scripts/release.sh [FOLDER]. The files are written into FOLDER, `release` by default, which must be new or empty.
# Needs what scripts/package.sh and scripts/wheel.sh need. The image and the check of the wheel need root: without it,
# the script says that there is none, and goes on. EARSHOT_BINARY names a program that is built already.
set -eu
folder=$(realpath -m "${1:-release}")
cd "$(dirname "$0")/.."
mkdir -p "$folder"
if [ -n "$(ls -A "$folder")" ]; then
    echo "release: $folder is not empty. Name a new folder" >&2
    exit 64
fi
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# One build for both.
package=$(scripts/package.sh "$folder")
dpkg-deb -x "$package" "$scratch/package"
wheel=$(EARSHOT_BINARY=$scratch/package/usr/bin/earshot scripts/wheel.sh "$folder")
version=$(basename "$package" | cut -d _ -f 2)
scripts/sbom.py >"$folder/earshot-$version.cdx.json"

echo "release: checking the package" >&2
scripts/check-install.sh "$scratch/package/usr/bin/earshot" >&2
if [ "$(id -u)" -ne 0 ]; then
    echo "release: NO CONTAINER, and the wheel is NOT CHECKED, because only root can make a system for them" >&2
else
    scripts/setup.sh mmdebstrap
    echo "release: checking the wheel" >&2
    scripts/check-install.sh "$wheel" >&2
    echo "release: making and checking the container" >&2
    if ! scripts/container.sh "$package" "$folder/earshot-$version-container.tar" >&2; then
        rm -f "$folder/earshot-$version-container.tar"
        echo "release: NO CONTAINER, because scripts/container.sh failed" >&2
    fi
fi
cd "$folder"
# Files in the order of their names.
sha256sum -- * >"$scratch/SHA256SUMS"
mv "$scratch/SHA256SUMS" .
ls -l >&2
echo "$folder"
