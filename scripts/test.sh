#!/bin/sh
# Runs tests. Without arguments it installs what is missing, lints, and runs the commands of the documentation and all tests.
# Usage: scripts/test.sh [--filter REGEX] [--timed] [TARGET...]. A TARGET is a target of Sources, such as Metrics, or of Tests.
# Only the tests of these targets are compiled and run, and of those only the ones that match REGEX. Tests that play and record
# are left out without --timed.
# scripts/test.sh --changed names the targets that need tests after the changes since the last commit.
# EARSHOT_TEST_CONFIGURATION, debug or release, chooses another configuration than this script.
set -eu
[ "${1-}" != --help ] || exec sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//p}' "$0"
cd "$(dirname "$0")/.."

if [ "${1-}" = --changed ]; then
    exec python3 - <<'END'
import json, subprocess
def lines(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
targets = json.loads("".join(lines("swift", "package", "dump-package")))["targets"]
folders = {target.get("path") or ("Tests/" if target["type"] == "test" else "Sources/") + target["name"]: target for target in targets}
uses = {target["name"]: {next(iter(part.values()))[0] for part in target["dependencies"]} for target in targets}
files = {line[3:].split(" -> ")[-1] for line in lines("git", "status", "--porcelain", "--untracked-files=all")}
changed = {target["name"] for folder, target in folders.items() if any(file.startswith(folder + "/") for file in files)}
tests = {target["name"] for target in targets if target["type"] == "test"}
print(" ".join(sorted(test for test in tests if test in changed or uses[test] & changed)))
END
fi
# The tests with the tag `timed`, as a regular expression of their names. Argument: the program of the tests.
timed() {
    list=$(mktemp)
    "$1" --testing-library swift-testing --list-tests --event-stream-output-path "$list" --event-stream-version 0 >/dev/null
    python3 - "$list" <<'END'
import json, re, sys
tests = [json.loads(line)["payload"] for line in open(sys.argv[1])]
names = {test["id"].rsplit("/", 1)[0] if test["kind"] == "function" else test["id"] + "/"
         for test in tests if ".timed" in test.get("_tags", [])}
print("^(" + "|".join(re.escape(name) for name in sorted(names)) + ")" if names else "^$")
END
    rm "$list"
}

filter=
targets=
timed=
while [ $# -gt 0 ]; do
    case $1 in
    --filter)
        filter=${2:?"test: --filter needs a regular expression"}
        shift
        ;;
    --timed) timed=yes ;;
    -*)
        echo "test: no option $1. Try scripts/test.sh --help" >&2
        exit 64
        ;;
    *)
        name=${1%Tests}Tests
        if ! grep -q "name: \"$name\"" Package.swift; then
            echo "test: no target $1 has tests. Tests has $(cd Tests && echo *Tests)" >&2
            exit 64
        fi
        targets="$targets $name"
        ;;
    esac
    shift
done
if [ -n "$targets$filter$timed" ]; then
    scripts/setup.sh ffmpeg python3 ${timed:+pulseaudio pulseaudio-utils}
    configuration=${EARSHOT_TEST_CONFIGURATION:-debug}
    # The manifest leaves out other test targets. Flags differ from those of other builds, so the folder does, too.
    export EARSHOT_TEST_TARGETS="${targets:-$(cd Tests && echo *Tests)}"
    build() { swift build -c "$configuration" --scratch-path .build/targets "$@"; }
    build --product earshotPackageTests
    programs=$(build --show-bin-path)
    export EARSHOT_BINARY="$programs/earshot" NO_COLOR=1
    tests=$programs/earshotPackageTests.xctest
    set -- "$tests" --testing-library swift-testing
    [ -z "$filter" ] || set -- "$@" --filter "$filter"
    [ -n "$timed" ] || set -- "$@" --skip "$(timed "$tests")"
    "$@"
    exit
fi

# Says what begins, and after how many seconds.
began=$(date +%s)
step() { echo "test: after $(($(date +%s) - began)) s: $1"; }

step "what must be installed"
scripts/setup.sh ffmpeg pulseaudio pulseaudio-utils python3 strace zsh fish
step "structure, stored results, format"
scripts/checks/structure.py
scripts/results.py --verify
swift format lint --strict --recursive --parallel Sources Tests Package.swift
step "build"
# The tests import nothing as testable, so that they share one build with the programs.
swift build -c release --build-tests
programs=$(swift build -c release --show-bin-path)
EARSHOT_BINARY=$programs/earshot
# Tests with a missing requirement fail instead of being skipped.
EARSHOT_EVERY_TEST=1
export EARSHOT_BINARY EARSHOT_EVERY_TEST
step "tests, commands of the documentation, Python"

# Runs a command and keeps what it prints in a file.
run() {
    log=$1
    shift
    { "$@" && echo "Every test passed."; } 2>&1 | tee "$log"
    tail -n 1 "$log" | grep -qx 'Every test passed.'
}

# Prints the errors of the tests again at the end, where they are found. A process that ended early has none: its last
# lines say why.
failed() {
    echo "These tests failed:"
    grep -h -A 3 -e ' recorded an issue' -e 'error:' -e 'Fatal error' "$@" | cut -c 1-2000
    for log in "$@"; do
        ! tail -n 1 "$log" | grep -qx "Every test passed." || continue
        echo "The end of $(basename "$log"):"
        tail -n 15 "$log" | cut -c 1-500
    done
    exit 1
}

# The output of the tests, and when each test case began and ended.
times=$(mktemp -d)
trap 'rm -rf "$times"' EXIT
# A test that has begun shares the processors with few others, so that its time is its own.
SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=$(($(nproc) + 1))
export SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH

# Prints the slowest suites. Of tests that run beside others, only those with arguments state when they had their turn.
slowest() {
    python3 - "$times"/*.events <<'END' || true
import collections, json, sys
seconds, tests = collections.Counter(), collections.defaultdict(set)
for path in filter(lambda path: "*" not in path, sys.argv[1:]):
    kind = "test" if path.endswith("timed.events") else "testCase"
    signs = {kind + "Started": -1, kind + "Ended": 1}
    for event in (json.loads(line)["payload"] for line in open(path) if '"test' in line):
        if (sign := signs.get(event["kind"])) and "/" in event["testID"]:
            suite = event["testID"].rsplit("/", 2)[0]
            seconds[suite] += sign * event["instant"]["absolute"]
            tests[suite].add(event["testID"])
print(f"The slowest of {len(seconds)} suites, {sum(seconds.values()):.0f} s in all, by tests with arguments and timed tests:")
for suite, time in seconds.most_common(20):
    print(f"{time:8.1f} s {len(tests[suite]):4d} tests  {suite}")
END
}

# Tests with the tag `timed` run one by one and before all others get the processor. They mostly wait, so the rest takes the time
# that they leave.
export NO_COLOR=1
# The program of the tests is started without `swift test`, of which only one may run at a time.
tests=$programs/earshotPackageTests.xctest
timed=$(timed "$tests")
run "$times/others.log" nice -n 19 "$tests" --testing-library swift-testing \
    --event-stream-output-path "$times/others.events" --skip "$timed" &
others=$!
run "$times/documents.log" nice -n 19 sh -ec 'scripts/checks/docs.py; scripts/checks/python.sh' &
documents=$!
status=0
run "$times/timed.log" scripts/with-virtual-microphone.sh "$tests" --testing-library swift-testing \
    --event-stream-output-path "$times/timed.events" --no-parallel --filter "$timed" || status=$?
wait $others || status=$?
wait $documents || status=$?
slowest
step "end"
[ $status -eq 0 ] || failed "$times"/*.log
