#!/bin/sh
# Runs scripts/notebook.py on a small run of synthetic music, and checks its fit on trials drawn with a known SNR50. Makes a
# Python environment with pandas, matplotlib and scipy in .build/notebook. The argument is a folder with a run; without
# one the script makes a run.
set -eu
cd "$(dirname "$0")/.."

python=.build/notebook/bin/python
if ! "$python" -c 'import matplotlib, pandas, scipy' 2>/dev/null; then
    python3 -m venv .build/notebook
    "$python" -m pip install --quiet pandas matplotlib scipy
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

run=${1:-}
if [ -z "$run" ]; then
    swift build -c release --product earshot >&2
    run=$folder/run
    cat >"$folder/noise.yaml" <<'PLAN'
name: noise
corpus: synthetic
seed: 1
positives: 20
negatives: 10
lengthSeconds: 5
latencyTrials: 0
families:
  - name: white noise
    unit: dB
    severities: [-30, -20, -10, 0]
    chain: [{noise: {colour: white, snrDecibels: $severity}}]
PLAN
    "$(swift build -c release --show-bin-path)/earshot" evaluate --plan "$folder/noise.yaml" --details 0 \
        --output "$run" >"$folder/log" 2>&1 || { cat "$folder/log"; exit 1; }
fi

"$python" scripts/notebook.py "$run" "$folder" >"$folder/fit"
cat "$folder/fit"
for picture in snr recordings det; do test -s "$folder/$picture.png"; done

PYTHONPATH=scripts "$python" - "$run" <<'PYTHON'
import sys

import notebook
import numpy

tables = notebook.read(sys.argv[1])
counts = tables["trials"][tables["trials"].kind == "positive"].outcome.value_counts()
assert tables["cells"].correct.sum() == counts.get("correct", 0), "trials.csv and cells.csv differ"
assert tables["recordings"].misses.sum() == counts.sum() - counts.get("correct", 0), "recordings.csv differs"

# 60 recordings of 24 queries each: SNR50 at -4 dB, a slope of 0.8 a dB, recordings apart by 3 dB.
random = numpy.random.default_rng(7)
ratios = numpy.tile(numpy.arange(-15, 9, 1.0), 60)
names = numpy.repeat(numpy.arange(60), 24)
effects = random.normal(0, 3, 60)[names]
found = random.random(ratios.size) < 1 / (1 + numpy.exp(-0.8 * (ratios + 4 - effects)))
snr50, error, spread = notebook.fit_snr50(ratios, found, names)
print(f"drawn at -4 dB and 3 dB: fitted {snr50:.2f} ± {error:.2f} dB, spread {spread:.2f} dB")
assert abs(snr50 + 4) < 3 * error and 0.2 < error < 0.8 and 2 < spread < 4
PYTHON
