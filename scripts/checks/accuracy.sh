#!/bin/sh
# Runs small fixed evaluations and compares them with baselines: of synthetic music, about two minutes, and of the real music of the
# corpus games-small where it is fetched, another two. Plans: Corpora/Plans/accuracy.yaml and regression.yaml. Rules:
# Reports/gates/accuracy.yaml. Baselines: Reports/baselines. Arguments: --music fetches the corpus; --record makes the runs the
# baselines. Without EARSHOT_PROGRAMS, a folder of built programs, it builds.
set -eu
[ "${1-}" != --help ] || exec sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//p}' "$0"
cd "$(dirname "$0")/../.."

music= action='gate --rules accuracy --baseline'
for argument; do
    case $argument in
    --music) music=yes ;;
    --record) action='baseline accept --name' ;;
    *) echo "accuracy.sh: expected --music or --record, found $argument" >&2 && exit 1 ;;
    esac
done
output=$(mktemp -d)
trap 'rm -rf "$output"' EXIT

if [ -z "${EARSHOT_PROGRAMS:-}" ]; then
    swift build -c release --product earshot >&2
    EARSHOT_PROGRAMS=$(swift build -c release --show-bin-path)
fi
earshot=$EARSHOT_PROGRAMS/earshot

# Evaluates, then gates or records: the name of the baseline, and options of `evaluate`.
check() {
    panel=$1
    shift
    # Without the cache, so that every figure is from the present sources.
    "$earshot" evaluate "$@" --output "$output/$panel" --no-cache >&2
    # shellcheck disable=SC2086
    "$earshot" $action "$panel" "$output/$panel" || failed=$panel
}

failed=
check accuracy --plan accuracy
[ -z "$music" ] || "$earshot" corpus fetch games-small >&2
if "$earshot" corpus list | grep -q '^games-small	yes'; then
    # The tuning half: a gate looks at it at every change.
    check music --plan regression --corpus games-small --half tuning
else
    echo "The corpus games-small is not fetched, so the panel of real music was not run."
fi
[ -z "$failed" ]
