#!/bin/sh
# Makes everything of a release from a clone, and checks it: a wheel, a Debian package, the image of a container, a software
# bill of materials, and SHA256SUMS of all.
# Usage: scripts/release.sh [FOLDER]. The files are written into FOLDER, `release` by default, which must be new or empty.
# scripts/release.sh --check only checks that the sources are those of a release, in seconds. They must have a dated section
# with figures in CHANGELOG.md, one version everywhere, golden files of today's formats, and the report on the API.
# scripts/release.sh --rehearse [FOLDER] makes and checks the files of any sources.
# Needs what scripts/package.sh and scripts/wheel.sh need. The image and the check of the wheel need root: without it,
# the script says that there is none, and goes on. EARSHOT_BINARY names a program that is built already.
set -eu
[ "${1-}" != --help ] || exec sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//p}' "$0"
mode=
case ${1-} in --check | --rehearse) mode=$1 && shift ;; esac
folder=$(realpath -m -- "${1:-release}")
cd "$(dirname "$0")/.."

refused=0
refuse() {
    echo "release: $1" >&2
    refused=1
}

version=$(sed -n 's/.*number = "\(.*\)"/\1/p' Sources/AudioCore/Release.swift)
engine=$(sed -n 's/.*engineVersion = "\(.*\)"/\1/p' Sources/Signatures/Settings.swift)
section=$(awk -v start="## [$version] " '/^## /{found = index($0, start) == 1} found' CHANGELOG.md)
case $(grep -m 1 '^## ' CHANGELOG.md) in
"## [$version] – "20[0-9][0-9]-[0-9][0-9]-[0-9][0-9]) ;;
*) refuse "CHANGELOG.md does not begin with a dated section of $version, the number in Sources/AudioCore/Release.swift" ;;
esac
echo "$section" | grep -q '^- ' || refuse "the section of $version in CHANGELOG.md is empty"
echo "$section" | grep -q "^Figures of engine $engine: " \
    || refuse "the section of $version in CHANGELOG.md has no line \"Figures of engine $engine: …\""
grep -qx "version: $version" CITATION.cff || refuse "CITATION.cff does not have version $version"
# The number follows eight bytes that name the format.
written() { od -An -tu4 -j8 -N4 "$1" 2>/dev/null | tr -d ' '; }
catalog=$(sed -n 's/.*CatalogLayout(version: \([0-9]*\),.*/\1/p' Sources/Fingerprinting/CatalogFile/CatalogLayout.swift | tail -n 1)
signature=$(sed -n 's/.*versions: [0-9]*\.\.\.\([0-9]*\).*/\1/p' "Sources/Signatures/Signature/Signature+File.swift")
for golden in "catalog-$catalog.earcatalog" "query-$signature.earsignature"; do
    number=${golden#*-}
    [ "$(written "Tests/Golden/$golden")" = "${number%%.*}" ] \
        || refuse "Tests/Golden/$golden is missing, or of another number"
done
scripts/removals.py --check || refuse "CHANGELOG.md does not name what is gone since the last release"
scripts/api-report.sh --check || refused=1
tagged=$(git rev-parse -q --verify "v$version^{commit}" || true)
[ -z "$tagged" ] || [ "$tagged" = "$(git rev-parse HEAD)" ] || refuse "the tag v$version names another commit"
if [ "$refused" -ne 0 ] && [ "$mode" != --rehearse ]; then
    exit 1
elif [ "$mode" = --check ]; then
    echo "release: the sources are those of $version. Tag them with: git tag -a v$version"
    exit
fi

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
scripts/sbom.py >"$folder/earshot-$version.cdx.json"

echo "release: checking the package" >&2
scripts/checks/installed.sh "$scratch/package/usr/bin/earshot" >&2
if [ "$(id -u)" -ne 0 ]; then
    echo "release: NO CONTAINER, and the wheel is NOT CHECKED, because only root can make a system for them" >&2
else
    scripts/setup.sh mmdebstrap
    echo "release: checking the wheel" >&2
    scripts/checks/installed.sh "$wheel" >&2
    echo "release: making and checking the container" >&2
    scripts/container.sh "$package" "$folder/earshot-$version-container.tar" >&2
fi
cd "$folder"
# Files in the order of their names.
sha256sum -- * >"$scratch/SHA256SUMS"
mv "$scratch/SHA256SUMS" .
ls -l >&2
echo "$folder"
