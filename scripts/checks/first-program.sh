#!/bin/bash
# Runs "Your first program" in a new Debian 12 without an installed library, as the article is written, from its first command to
# the first live match of its program through a virtual microphone. Prints the seconds and the processor time of each step, the
# packages that the program cloned, and the number of its libraries. It runs what is committed.
# Takes root, mmdebstrap and a network. Swift is that of this machine. Arguments: folders that the new system gets too, as a mirror
# of Swift packages that /etc/gitconfig names.
set -euo pipefail
[ "${1-}" != --help ] || exec sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//p}' "$0"
cd "$(dirname "$0")/../.."
article=Sources/EarshotKit/EarshotKit.docc/FirstProgram.md
swift=$(dirname "$(dirname "$(dirname "$(readlink -f "$(command -v swift)")")")")
root=$(mktemp -d)
trap 'rm -rf --one-file-system "$root"' EXIT
# What Swift itself asks for on Debian 12.
mmdebstrap --variant=minbase --dpkgopt=force-unsafe-io --include=ca-certificates,binutils-gold,gcc,git,libcurl4-openssl-dev,libedit-dev,libncurses-dev \
    --include=libpython3-dev,libsqlite3-dev,libstdc++-12-dev,libxml2-dev,pkg-config,tzdata,uuid-dev \
    bookworm "$root" 2>/dev/null
echo 'APT::Get::Assume-Yes "true";' >"$root/etc/apt/apt.conf.d/yes"
cp /etc/resolv.conf "$root/etc/"
[ ! -e /etc/gitconfig ] || cp /etc/gitconfig "$root/etc/"
git clone -q --bare . "$root/earshot"
git -C "$root/earshot" branch -q -f main "$(git rev-parse HEAD)"
git config --file "$root/etc/gitconfig" url.file:///earshot.insteadOf 'https://…/earshot'
# Each block that a machine without a microphone can run, in order. Files get the names that the article gives them.
awk -v steps="$root/steps" '
    BEGIN { system("mkdir -p " steps "/Sources/Lesson") }
    /^<!-- example: needs (a microphone|data)/ { skip = 1 }
    /^```$/ && inside { inside = 0; next }
    /^```/ { inside = 1; kind = substr($0, 4); number++; file = ""
             if (kind == "sh" && !skip) file = sprintf("%s/%02d.sh", steps, number)
             skip = 0; next }
    inside && /^\/\/ swift-tools-version/ { file = steps "/Package.swift" }
    inside && kind == "swift" && /^\/\/ Sources/ { file = steps "/" $2 }
    inside && file { print >file }' "$article"
cat >"$root/run.sh" <<'END'
set -euo pipefail
mount -t proc proc /proc
mkdir /start
cd /start
trap '[ $? -eq 0 ] || tail -n 20 output.txt' EXIT
TIMEFORMAT='    %R s, %U + %S s of processor time'
live() { # seconds, a file and an expression: waits for a line.
    for _ in $(seq $((10 * $1))); do ! grep -aEq "$3" "$2" || return 0; sleep 0.1; done
    echo "no line $3 within $1 s:"; tail -n 20 "$2"; exit 1
}
for step in /steps/*.sh; do
    sed 's/^/$ /' "$step"
    if grep -q '^earshot listen' "$step"; then
        # It goes on until Ctrl-C.
        set -m
        time { bash -e "$step" >live.txt 2>&1 & live 600 live.txt Fractions; }
        kill -- -$!
        set +m
        tail -n 3 live.txt
    else
        time . "$step" >output.txt 2>&1
        tail -n 3 output.txt
    fi
done
mv /steps/Package.swift /steps/Sources .
echo '$ swift build'
time swift build >output.txt 2>&1
ls .build/checkouts
echo "libraries: $(ldd .build/debug/Lesson | wc -l)"
sed -n '/^paplay/p' /steps/*.sh >again.sh
script -qefc 'swift run' program.txt >/dev/null & live 600 program.txt '^Fractions'
. ./again.sh
time live 600 program.txt '^\[1'
cat program.txt
END
for folder in "$swift" "$@"; do mkdir -p "$root$folder"; done
unshare --mount --pid --fork bash -euc '
    root=$1; shift
    mount --rbind /dev "$root/dev"
    for folder; do mount --rbind -o ro "$folder" "$root$folder"; done
    exec chroot "$root" env -i HOME=/home LANG=C.UTF-8 TERM=dumb PATH="/usr/sbin:/usr/bin:/sbin:/bin:$1/usr/bin" bash /run.sh
' bash "$root" "$swift" "$@"
