#!/bin/sh
# Runs a command with a separate sound server and a virtual microphone. The source "microphone" records the sink "speaker".
# The command gets the server's address in PULSE_SERVER and the sink's name in EARSHOT_VIRTUAL_MICROPHONE. Exits with the
# exit code of the command.
# Arguments: the command, for example: scripts/with-virtual-microphone.sh swift test -c release
set -eu
[ "${1-}" != --help ] || exec sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//p}' "$0"

if [ $# -eq 0 ]; then
    echo "usage: scripts/with-virtual-microphone.sh command [arguments]" >&2
    exit 64
fi
if ! command -v pulseaudio >/dev/null 2>&1; then
    echo "with-virtual-microphone: no pulseaudio. Install it (Debian: apt install pulseaudio pulseaudio-utils)" >&2
    exit 1
fi

folder=$(mktemp -d)
server=
command=
stop() {
    [ -z "$command" ] || kill "$command" 2>/dev/null || true
    if [ -n "$server" ]; then
        kill "$server" 2>/dev/null || true
        wait "$server" 2>/dev/null || true
    fi
    rm -rf "$folder"
}
trap stop EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

cat >"$folder/server.pa" <<END
load-module module-native-protocol-unix socket=$folder/socket auth-anonymous=1
load-module module-null-sink sink_name=speaker rate=48000 channels=2 format=float32le
load-module module-remap-source source_name=microphone master=speaker.monitor
set-default-sink speaker
set-default-source microphone
END
# A separate home excludes the user's settings and server.
HOME="$folder" XDG_RUNTIME_DIR="$folder" XDG_CONFIG_HOME="$folder" PULSE_RUNTIME_PATH="$folder" \
    pulseaudio -n -F "$folder/server.pa" --daemonize=no --exit-idle-time=-1 --use-pid-file=no \
    --disallow-exit --realtime=no --high-priority=no --log-target="file:$folder/log" 2>"$folder/complaints" &
server=$!

tries=0
while [ ! -S "$folder/socket" ]; do
    tries=$((tries + 1))
    if [ "$tries" -gt 100 ] || ! kill -0 "$server" 2>/dev/null; then
        echo "with-virtual-microphone: the sound server did not start:" >&2
        cat "$folder/log" "$folder/complaints" >&2 || true
        exit 1
    fi
    sleep 0.1
done

# In the background, because a shell handles signals while it waits but not while a command runs. Descriptor 3 keeps the
# input, which would be empty in the background.
status=0
exec 3<&0
PULSE_SERVER="unix:$folder/socket" EARSHOT_VIRTUAL_MICROPHONE=speaker "$@" <&3 3<&- &
command=$!
wait "$command" || status=$?
command=
exit "$status"
