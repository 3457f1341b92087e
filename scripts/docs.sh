#!/bin/sh
# Builds the documentation of all targets that have a .docc folder as a static site, with the docc of the toolchain.
# Usage: scripts/docs.sh [FOLDER]; the folder is .build/docs when none is given.
# Fails when an article has a broken link. Needs no network once the packages are resolved.
# With DOCS_SCRATCH=DIR it takes the modules of another scratch folder instead of building them.
set -eu
[ "${1-}" != --help ] || exec sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//p}' "$0"
cd "$(dirname "$0")/.."
site=${1:-.build/docs}

scratch=${DOCS_SCRATCH:-.build}
if [ "$scratch" = .build ]; then
    scripts/setup.sh
    swift build -c release --product earshot >&2
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# C modules are known by their module maps: ours, those of packages, and those the build wrote.
includes=
for map in $(find Sources "$scratch"/checkouts "$scratch"/release/ -follow -name module.modulemap -not -path '*/Tests/*' -not -path '*-tool.build/*'); do
    includes="$includes -I ${map%/*}"
done
triple=$(swift -print-target-info | sed -n 's/.*"triple": "\(.*\)".*/\1/p' | head -n 1)

set --
for catalog in Sources/*/*.docc; do
    target=$(basename "$catalog" .docc)
    mkdir "$work/$target"
    # The list is meant to be split into words.
    # shellcheck disable=SC2086
    swift symbolgraph-extract -module-name "$target" -target "$triple" -minimum-access-level public \
        -skip-inherited-docs -I "$scratch/release/Modules" $includes -output-dir "$work/$target" >&2
    docc convert "$catalog" --additional-symbol-graph-dir "$work/$target" --output-path "$work/$target.doccarchive" \
        --fallback-bundle-identifier "$target" --fallback-display-name "$target" --ide-console-output \
        >"$work/log" 2>&1 || { cat "$work/log" >&2; exit 1; }
    # What doc comments lack is for those who write code; articles must have no broken link.
    grep '\.docc/[^:]*:.*\(warning\|error\):' "$work/log" >>"$work/broken" || true
    set -- "$@" "$work/$target.doccarchive"
done

if [ -s "$work/broken" ]; then
    cat "$work/broken" >&2
    exit 1
fi
rm -rf "$site"
docc merge "$@" --synthesized-landing-page-name Earshot --output-path "$site" >&2
# Pages ask for a theme.
echo '{}' >"$site/theme-settings.json"
scripts/parts/docs-landing.py "$site"
echo "Serve the site with: python3 -m http.server -d $site"
