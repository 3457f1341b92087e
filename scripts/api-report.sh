#!/bin/sh
# Writes what breaks in the public Swift API since the release before, to Reports/api/VERSION.txt.
# Usage: scripts/api-report.sh [TREEISH]. TREEISH is the release to compare with. By default it is the tag of the latest
# earlier version in Reports/api, or the commit that its report names, because a clone may lack tags.
# scripts/api-report.sh --check only tells whether the report of this version exists and is of these sources.
# VERSION is that of the first release in CHANGELOG.md. The script compiles both commits in .build/api, without the bodies
# of functions. For each product it compares the modules and those that they re-export, so that a type may move between them.
# `swift package diagnose-api-breaking-changes` compiles all of both commits, with its programs, and compares each module
# alone. Its tool, swift-api-digester, also counts `package` declarations, which this script leaves out.
set -eu
[ "${1-}" != --help ] || exec sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//p}' "$0"
cd "$(dirname "$0")/.."

fail() {
    echo "api-report: $1" >&2
    exit 1
}

# Names the Swift sources at HEAD by their contents: articles and this report do not count.
sources() { git ls-tree -r HEAD -- Package.swift Sources | grep '\.swift$' | git hash-object --stdin; }

version=$(sed -n 's/^## \[\([0-9.]*\)\].*/\1/p' CHANGELOG.md | head -n 1)
report=Reports/api/$version.txt
git diff --quiet HEAD -- Package.swift 'Sources/*.swift' || fail "Sources differ from the last commit. Commit them first"
if [ "${1-}" = --check ]; then
    [ -e "$report" ] || fail "no $report. Run scripts/api-report.sh and commit it"
    grep -qx "sources $(sources)" "$report" || fail "$report is of other sources. Run scripts/api-report.sh again"
    exit
fi

baseline=${1-}
if [ -z "$baseline" ]; then
    previous=$({ echo "$version"; find Reports/api -name '*.txt' -exec basename {} .txt \;; } | sort -Vu \
        | sed "/^$version\$/,\$d" | tail -n 1)
    [ -n "$previous" ] || fail "no report of an earlier release in Reports/api. Name the commit to compare with"
    baseline=v$previous
    git rev-parse -q --verify "$baseline^{commit}" >/dev/null \
        || baseline=$(sed -n 's/^commit //p' "Reports/api/$previous.txt")
fi
baseline=$(git rev-parse -q --verify "$baseline^{commit}") \
    || fail "no commit ${1-$baseline} in this clone. Run git fetch --unshallow --tags"

# The products, and the targets of each. GRDB and Yams must be compiled before Combine, which they would import.
products='EarshotSignatures=EarshotSignatures
Fingerprinting=Fingerprinting
Evaluation=Matchers Corpora Evaluation Studies Reporting MatcherAdapters
EarshotKit=EarshotKit
ShazamKit=ShazamKit AVFAudio AVFoundation UniformTypeIdentifiers Combine'

# build COMMIT FOLDER
build() {
    [ "$(cat "$2/commit" 2>/dev/null)" != "$1" ] || return 0
    rm -rf "$2/commit" "$2/Sources" "$2/Tests"
    mkdir -p "$2"
    git archive "$1" Package.swift Sources Tests | tar -x -C "$2"
    rm -rf "$2/.build/debug/Modules/Combine".*
    echo "$products" | sed 's/.*=//' | tr ' ' '\n' | while read -r target; do
        echo "api-report: $target of $1" >&2
        swift build --package-path "$2" --target "$target" -Xswiftc -experimental-skip-non-inlinable-function-bodies \
            </dev/null >"$2/log" 2>&1 || { tail -n 40 "$2/log" >&2; fail "$target of $1 does not compile"; }
    done
    echo "$1" >"$2/commit"
}

# modules FOLDER MODULE...: the modules, and those of the same package that they re-export.
modules() {
    folder=$1
    shift
    for module; do
        found=$(find "$folder/Sources" -maxdepth 2 -type d -name "$module")
        [ -n "$found" ] || continue
        echo "$module"
        # The names are split into words.
        # shellcheck disable=SC2046
        modules "$folder" $(grep -rhE '^ *@_exported import ' "$found" | sed 's/.*import //')
    done
}

# Takes declarations that are not public out of JSON.
public='
import json, sys
def public(node):
    if isinstance(node, dict):
        return {key: public(value) for key, value in node.items()}
    if isinstance(node, list):
        return [public(value) for value in node if not (isinstance(value, dict) and value.get("isInternal"))]
    return node
json.dump(public(json.load(open(sys.argv[1]))), open(sys.argv[2], "w"))'

# dump FOLDER FILE MODULE...: writes the public API of the modules as JSON.
dump() {
    folder=$1 file=$2
    shift 2
    arguments=
    for module in $(modules "$folder" "$@" | sort -u); do arguments="$arguments -module $module"; done
    for map in "$folder"/Sources/*/module.modulemap "$folder"/.build/debug/*.build/module.modulemap \
        "$folder"/.build/checkouts/*/Sources/*/module.modulemap \
        "$folder"/.build/checkouts/*/Sources/*/include/module.modulemap; do
        [ ! -e "$map" ] || arguments="$arguments -I $(dirname "$map")"
    done
    # The arguments are split into words.
    # shellcheck disable=SC2046,SC2086
    swift-api-digester -dump-sdk -swift-only -avoid-location -avoid-tool-args -abort-on-module-fail -o "$work/all.json" \
        -I "$folder/.build/debug/Modules" $arguments \
        $(sed -n 's/.*pkgConfig: "\([^"]*\)".*/\1/p' "$folder/Package.swift" | xargs pkg-config --cflags-only-I)
    python3 -c "$public" "$work/all.json" "$file"
}

work=.build/api
sources=$(sources)
swift=$(swift --version 2>/dev/null | sed -n 's/.*\(Swift version [0-9.]*\).*/\1/p')
build "$baseline" "$work/baseline"
build "$(git rev-parse HEAD)" "$work/release"
: >"$work/seen"
{
    echo "API of Earshot $version: what programs that were written for the baseline may have to change."
    echo "A constructor or function that gained a parameter with a default counts as removed, though calls compile."
    echo "Written by scripts/api-report.sh with $swift."
    echo
    echo "commit $(git rev-parse HEAD)"
    echo "sources $sources"
    echo "baseline $baseline"
    echo "$products" | while IFS== read -r product targets; do
        # The names are split into words.
        # shellcheck disable=SC2086
        dump "$work/baseline" "$work/baseline.json" $targets
        # shellcheck disable=SC2086
        dump "$work/release" "$work/release.json" $targets
        swift-api-digester -diagnose-sdk -print-module -input-paths "$work/baseline.json" -input-paths "$work/release.json" \
            -o "$work/changes"
        # Each change once, though one product re-exports another.
        grep -v '^$\|^/\*' "$work/changes" | grep -vxFf "$work/seen" >"$work/breaks" || true
        cat "$work/breaks" >>"$work/seen"
        printf '\n%s: %s breaking\n' "$product" "$(wc -l <"$work/breaks")"
        sed 's/^/- /' "$work/breaks"
    done
} >"$work/report"
mkdir -p Reports/api
mv "$work/report" "$report"
echo "$report"
