#!/bin/sh
# Runs the tests of sessions, players, the microphone, the library, catalogs on servers and the server under ThreadSanitizer.
# Fails if two threads race, in the tests or in a program that they start.
# It uses a debug build in .build/tsan, where the sanitizer finds most. Argument: a regular expression for
# swift test --filter.
set -eu
[ "${1-}" != --help ] || exec sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//p}' "$0"
cd "$(dirname "$0")/../.."

tests=${1:-'SHSessionTests|DeliveryTests|StreamingTests|SHManagedSessionTests|MissingMicrophoneTests|MicrophoneProgramTests|MicrophoneTests|AVAudioEngineTests|AVAudioPlayerNodeTests|SHLibraryTests|LibrarySyncTests|HostedCatalogTests|FairWorkersTests|CommandLineTests.ServeTests'}
# In a debug build sixty episodes take longer than a test may take. What is recorded again, and the questions of a lesson that
# plays on, come too late. Mutated answers take minutes. The sanitizer needs more memory than the sandbox of decoders gives. Other
# tests run the same threads.
slow='ASharedIntroNames|RerecordMicrophoneTests|SampleMicrophoneTests|mutatedAnswersEndNothing|audioIsRecognisedWhereItIsAccepted|unfinishedBodiesHaveALimit|limitsCountAtTheHead'
swift build --build-tests --sanitize=thread --scratch-path .build/tsan
clang -shared -fPIC -O1 -Wall -o .build/tsan/MutexOrder.so Tests/Races/MutexOrder.c
# Programs continue after a race. Files have the reports, also those of a server that a test kills.
reports=$(mktemp -d)
trap 'rm -rf "$reports"' EXIT
TSAN_OPTIONS="exitcode=66 history_size=4 log_path=$reports/race ${TSAN_OPTIONS:-}"
# Ten thousand sessions would take an hour.
export TSAN_OPTIONS EARSHOT_SESSIONS=500
status=0
scripts/with-virtual-microphone.sh env LD_PRELOAD="$PWD/.build/tsan/MutexOrder.so" \
    swift test --skip-build --no-parallel --sanitize=thread --scratch-path .build/tsan --filter "$tests" \
    --skip "$slow" || status=$?
if [ -n "$(ls "$reports")" ]; then
    cat "$reports"/*
    status=66
fi
exit "$status"
