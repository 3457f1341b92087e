#!/bin/sh
# Builds earshot and installs it with corpora, plans, rules of gates, man pages and completions for bash, zsh and fish.
# Usage: scripts/install.sh [PREFIX]. The default prefix is ~/.local. Packagers can set DESTDIR, which precedes it, and
# BUILD_OPTIONS, further options of `swift build`, or EARSHOT_BINARY, a program that is built already. Where there is no
# program of the name, earshot is also called `shazam`.
# Needs Swift 6.2 or later. Installs missing libraries on Debian.
set -eu
[ "${1-}" != --help ] || exec sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//p}' "$0"
cd "$(dirname "$0")/.."

case "${1:-}" in
    -*) echo "usage: scripts/install.sh [PREFIX]" >&2; exit 64 ;;
esac
prefix=${1:-$HOME/.local}
case "$prefix" in
    /*) ;;
    *) echo "install: expected an absolute prefix, found $prefix" >&2; exit 64 ;;
esac
root=${DESTDIR:-}$prefix

scripts/setup.sh
# The options are split into words.
# shellcheck disable=SC2086
build() { swift build -c release ${BUILD_OPTIONS:-} "$@"; }
if [ -n "${EARSHOT_BINARY:-}" ]; then
    earshot=$EARSHOT_BINARY
    # Only the sources of the packages.
    swift package resolve >&2
    checkouts=.build/checkouts
else
    build --product earshot >&2
    earshot=$(build --show-bin-path)/earshot
    checkouts=${earshot%/*}/../../checkouts
fi

# ArgumentParser's generator of man pages. Its plugin would build the program again.
manual() {
    swift build -c release --package-path "$checkouts/swift-argument-parser" --scratch-path .build/manual "$@"
}
manual --product generate-manual >&2
generator=$(manual --show-bin-path)/generate-manual

pages=$(mktemp -d)
trap 'rm -rf "$pages"' EXIT
"$generator" "$earshot" --multi-page --output-directory "$pages" >&2

put() { # file, target, mode: installs a file atomically
    mkdir -p "$(dirname "$2")"
    install -m "${3:-644}" "$1" "$2.part"
    mv "$2.part" "$2"
    echo "$2"
}
put "$earshot" "$root/bin/earshot" 755
# A package offers the name as an alternative.
if [ -z "${DESTDIR:-}" ]; then
    shazam=$(command -v shazam || true)
    if [ -z "$shazam" ] && [ ! -e "$root/bin/shazam" ]; then
        ln -s earshot "$root/bin/shazam"
        echo "$root/bin/shazam"
    fi
fi
find Corpora Reports/gates -type f | while read -r file; do
    put "$file" "$root/share/earshot/$file"
done
for page in "$pages"/*.1; do
    put "$page" "$root/share/man/man1/${page##*/}"
done
"$earshot" --generate-completion-script bash >"$pages/bash"
"$earshot" --generate-completion-script zsh >"$pages/zsh"
"$earshot" --generate-completion-script fish >"$pages/fish"
put "$pages/bash" "$root/share/bash-completion/completions/earshot"
put "$pages/zsh" "$root/share/zsh/site-functions/_earshot"
put "$pages/fish" "$root/share/fish/vendor_completions.d/earshot.fish"
