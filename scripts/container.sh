#!/bin/sh
# Makes the image of a Debian 12 container with earshot, for `docker import` or `podman import`.
# Usage: scripts/container.sh PACKAGE IMAGE.tar. The package is one of scripts/package.sh. Runs as root.
set -eu
[ "${1-}" != --help ] || exec sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//p}' "$0"
package=$(realpath "${1:?a package of scripts/package.sh}")
image=$(realpath "${2:?the file for the image}")
cd "$(dirname "$0")/.."

scripts/setup.sh mmdebstrap
# ffmpeg decodes what libsndfile does not. The check needs no network.
mmdebstrap --variant=apt --mode=root \
    --customize-hook="upload '$package' /tmp/earshot.deb" \
    --customize-hook='chroot "$1" apt-get install -y -q --no-install-recommends /tmp/earshot.deb ffmpeg' \
    --customize-hook="upload scripts/checks/installed.sh /tmp/installed.sh" \
    --customize-hook='chroot "$1" sh /tmp/installed.sh' \
    --customize-hook='find "$1/tmp" -mindepth 1 -delete' \
    bookworm "$image" >&2
echo "docker import --change 'ENTRYPOINT [\"earshot\"]' $image earshot"
