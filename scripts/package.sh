#!/bin/sh
# Makes a Debian package of earshot that needs no Swift where it is installed.
# Usage: scripts/package.sh [FOLDER]. The package is written into FOLDER, `.` by default.
# EARSHOT_BINARY names a program that is built already; it needs a static Swift library.
# Needs what scripts/install.sh needs; installs dpkg-dev, lintian and what scripts/parts/small-options.sh installs.
set -eu
[ "${1-}" != --help ] || exec sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//p}' "$0"
folder=$(realpath "${1:-.}")
cd "$(dirname "$0")/.."

scripts/setup.sh dpkg-dev lintian
staging=$(mktemp -d)
trap 'rm -rf "$staging"' EXIT
root=$staging/root
# In two steps, because the shell does not see the failure of a command within a word.
BUILD_OPTIONS=$(scripts/parts/small-options.sh)
export BUILD_OPTIONS
DESTDIR=$root scripts/install.sh /usr >&2
strip --strip-unneeded --remove-section=.comment "$root/usr/bin/earshot"
gzip -9n "$root"/usr/share/man/man1/*.1
mkdir -p "$root/usr/share/zsh/vendor-completions" "$root/usr/share/doc/earshot" "$root/usr/share/lintian/overrides" \
    "$root/DEBIAN" "$staging/debian"
# The file is sourced.
sed -i '1{/^#!/d}' "$root/usr/share/bash-completion/completions/earshot"
mv "$root/usr/share/zsh/site-functions/_earshot" "$root/usr/share/zsh/vendor-completions/"
rmdir "$root/usr/share/zsh/site-functions"

version=$("$root/usr/bin/earshot" --version | cut -d ' ' -f 2)
maintainer="Earshot contributors <earshot@example.org>"
{
    echo "Upstream-Name: Earshot"
    echo "Copyright: $(git log -1 --format=%cd --date=format:%Y) Earshot contributors"
    echo "License: GPL-3.0-or-later"
    echo "On Debian systems the text is in /usr/share/common-licenses/GPL-3."
} >"$root/usr/share/doc/earshot/copyright"
{
    echo "# Yams, which reads plans, contains libyaml."
    echo "earshot: embedded-library libyaml *"
} >"$root/usr/share/lintian/overrides/earshot"
printf 'earshot (%s) unstable; urgency=medium\n\n  * See CHANGELOG.md in the sources.\n\n -- %s  %s\n' \
    "$version" "$maintainer" "$(git log -1 --format=%cD)" | gzip -9n >"$root/usr/share/doc/earshot/changelog.gz"

architecture=$(dpkg --print-architecture)
printf 'Source: earshot\n\nPackage: earshot\nArchitecture: %s\n' "$architecture" >"$staging/debian/control"
libraries=$(cd "$staging" && dpkg-shlibdeps -O root/usr/bin/earshot 2>/dev/null)
libraries=${libraries#shlibs:Depends=}
cat >"$root/DEBIAN/control" <<EOF
Package: earshot
Version: $version
Architecture: $architecture
Section: sound
Priority: optional
Maintainer: $maintainer
Installed-Size: $(du -sk "$root/usr" | cut -f 1)
Depends: $libraries, libjs-chart.js
Recommends: ffmpeg
Description: open audio fingerprinting that measures how good it is
 Recognises recordings in files and from the microphone, and measures any
 audio fingerprint matcher: it degrades real music, asks the matcher, and
 reports recall, precision, offset and skew errors, and latency.
EOF
cat >"$root/DEBIAN/postinst" <<'EOF'
#!/bin/sh
# The name of Apple's program, for its scripts, where no other program has it.
set -e
if [ "$1" = configure ]; then
    update-alternatives --install /usr/bin/shazam shazam /usr/bin/earshot 10
fi
EOF
cat >"$root/DEBIAN/prerm" <<'EOF'
#!/bin/sh
set -e
if [ "$1" = remove ] || [ "$1" = deconfigure ]; then
    update-alternatives --remove shazam /usr/bin/earshot
fi
EOF
chmod 755 "$root/DEBIAN/postinst" "$root/DEBIAN/prerm"
(cd "$root" && find usr -type f -print0 | sort -z | xargs -0 md5sum) >"$root/DEBIAN/md5sums"
package=$folder/earshot_${version}_$architecture.deb
dpkg-deb --root-owner-group --build "$root" "$package" >&2
lintian --fail-on error "$package" >&2
echo "$package"
