#!/bin/sh
# Runs the tests of sessions, the microphone and the library under ThreadSanitizer, and fails if two threads race.
# It uses a debug build in .build/tsan, where the sanitizer finds most. Argument: a regular expression for
# swift test --filter.
set -eu
cd "$(dirname "$0")/.."

tests=${1:-'SHSessionTests|DeliveryTests|StreamingTests|SHManagedSessionTests|MissingMicrophoneTests|MicrophoneProgramTests|MicrophoneTests|AVAudioEngineTests|SHLibraryTests|LibrarySyncTests'}
# In a debug build sixty episodes take longer than a test may take. What is recorded again, and the questions of a lesson that
# plays on, come too late. Other tests run the same threads.
slow='ASharedIntroNames|RerecordMicrophoneTests|SampleMicrophoneTests'
scripts/setup.sh clang pulseaudio pulseaudio-utils
swift build --build-tests --sanitize=thread --scratch-path .build/tsan
clang -shared -fPIC -O1 -Wall -o .build/tsan/MutexOrder.so Tests/Races/MutexOrder.c
# The tests continue after a race, and then exit with 66.
TSAN_OPTIONS="exitcode=66 history_size=4 ${TSAN_OPTIONS:-}"
# Ten thousand sessions would take an hour.
export TSAN_OPTIONS EARSHOT_SESSIONS=500
scripts/with-virtual-microphone.sh env LD_PRELOAD="$PWD/.build/tsan/MutexOrder.so" \
    swift test --skip-build --no-parallel --sanitize=thread --scratch-path .build/tsan --filter "$tests" \
    --skip "$slow"
