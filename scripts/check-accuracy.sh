#!/bin/sh
# Runs a small fixed evaluation (Corpora/Plans/accuracy.yaml, one to two minutes) and compares its figures with
# Reports/baselines/accuracy.json: fails when one lies beyond its limit in the bad direction. --record writes the baseline anew.
set -eu
cd "$(dirname "$0")/.."

plan=Corpora/Plans/accuracy.yaml
baseline=Reports/baselines/accuracy.json
output=$(mktemp -d)
trap 'rm -rf "$output"' EXIT

swift build -c release --product earshot >&2
"$(swift build -c release --show-bin-path)/earshot" evaluate --plan "$plan" --output "$output" >&2
identity="$(cksum <"$plan" | cut -d ' ' -f 1)-$(cksum <Corpora/synthetic.lock | cut -d ' ' -f 1)"

# The summary as one line a number, `overall.recall.rate 0.91`: it is indented by two blanks a level, one key a line.
awk '{
    match($0, /^ */)
    level = RLENGTH / 2
    if (split($0, part, "\"") < 3) next
    path[level] = (level > 1 ? path[level - 1] "." : "") part[2]
    value = $0
    sub(/^[^:]*: /, "", value)
    sub(/,$/, "", value)
    if (value ~ /^-?[0-9]/) print path[level], value
}' "$output/summary.json" >"$output/figures"
[ -s "$output/figures" ] || {
    echo "check-accuracy: no figure was read from the run's summary.json" >&2
    exit 1
}

if [ "${1:-}" = --record ]; then
    mkdir -p "$(dirname "$baseline")"
    # A recall may fall to the lower end of its interval, false accepts may rise by one, a median by a quarter.
    awk -v identity="$identity" '
    { value[$1] = $2 }
    function line(name, kind, limit) {
        if (!(name in value)) { print "check-accuracy: the run has no " name >"/dev/stderr"; exit 1 }
        printf "%s\n    \"%s\": {\"value\": %s, \"%s\": %.4g}", (count++ ? "," : ""), name, value[name], kind, limit
    }
    END {
        printf "{\n  \"identity\": \"%s\",\n  \"figures\": {", identity
        n = split("overall groups.length groups.noise groups.skew groups.format groups.channel", scopes, " ")
        for (i = 1; i <= n; i++) line(scopes[i] ".recall.rate", "atLeast", value[scopes[i] ".recall.lower"])
        line("overall.recallAtZeroFalseAccepts.rate", "atLeast", value["overall.recallAtZeroFalseAccepts.lower"])
        line("overall.outcomes.falseAccept", "atMost", value["overall.outcomes.falseAccept"] + 1)
        line("overall.outcomes.wrongReference", "atMost", value["overall.outcomes.wrongReference"] + 1)
        line("overall.errors", "atMost", 0)
        m = split("freeFrequencySkewError freeTimeSkewError offsetErrorSeconds", errors, " ")
        for (i = 1; i <= m; i++) {
            name = "overall." errors[i] ".medianAbsolute"
            line(name, "atMost", value[name] * 1.25)
        }
        print "\n  }\n}"
    }' "$output/figures" >"$output/baseline"
    mv "$output/baseline" "$baseline"
    echo "check-accuracy: wrote $baseline; read the difference before committing it"
    exit 0
fi

grep -q "\"identity\": \"$identity\"" "$baseline" || {
    echo "check-accuracy: $baseline is of another plan or corpus; record it anew with --record" >&2
    exit 1
}
awk '
FNR == NR { now[$1] = $2; next }
/"value"/ {
    split($0, part, "\"")
    name = part[2]
    match($0, /"value": [^,]*/)
    was = substr($0, RSTART + 9, RLENGTH - 9)
    match($0, /"at(Least|Most)": [^}]*/)
    split(substr($0, RSTART, RLENGTH), limit, ": ")
    isLow = limit[1] ~ /Least/
    bad = !(name in now) || (isLow ? now[name] + 0 < limit[2] + 0 : now[name] + 0 > limit[2] + 0)
    printf "%-4s %-45s %12.6g  was %-12.6g %s %g\n", bad ? "FAIL" : "ok", name, now[name], was, isLow ? ">=" : "<=", limit[2]
    failures += bad
    count++
}
END {
    if (!count) { print "check-accuracy: the baseline holds no figure" >"/dev/stderr"; exit 1 }
    exit failures > 0
}' "$output/figures" "$baseline"
