#!/usr/bin/env python3
"""Check that the truth follows degradations of one's own: a tremolo in NumPy, audiomentations and pedalboard.

usage: scripts/checks/degradations.py

EARSHOT_BINARY is the program, .build/release/earshot by default. Needs NumPy, pandas, audiomentations and pedalboard. Exits with 1
if a query is more than 1 ms from its truth by cross-correlation with the recording, or if runs on one and on two threads differ.
"""
import pathlib, sys, tempfile

if "--help" in sys.argv[1:]:
    sys.exit(print(__doc__.strip()))

import numpy as np
import pandas as pd

from harness import EARSHOT, ROOT, Bench

sys.path.insert(0, str(ROOT / "python"))

try:
    import audiomentations
    import pedalboard
except ImportError as error:
    print(error)
    sys.exit(77)

import earshot_judge as ej

RATE = 22_050
PLAN = """
name: own degradations
seed: 1
half: test
positives: 6
negatives: 2
latencyTrials: 0
lengthSeconds: 5
families:
  - {name: clean}
"""


def tremolo(samples, rate, rng, severity):
    seconds = np.arange(len(samples)) / rate
    wave = np.sin(2 * np.pi * 5 * seconds + rng.uniform(0, 2 * np.pi))
    return (samples.T * (1 - severity * (1 + wave) / 2)).T


tremolo.severities = [0.3, 0.9]
augment = audiomentations.Compose([
    audiomentations.AddGaussianNoise(p=1), audiomentations.LowPassFilter(min_cutoff_freq=2000, max_cutoff_freq=4000, p=1),
    audiomentations.Gain(p=1),
])
board = pedalboard.Pedalboard([
    pedalboard.Delay(delay_seconds=0.05, feedback=0, mix=1), pedalboard.Distortion(12), pedalboard.Reverb(room_size=0.2),
])
DEGRADATIONS = {
    "tremolo": tremolo,
    "augmented": lambda samples, rate, rng, severity: augment(samples.T, rate).T,
    "board": lambda samples, rate, rng, severity: board(samples, rate),
}
CHAIN = "[{program: {name: board}}, {format: {encoding: mp3-64k}}, {program: {name: tremolo, severity: 0.5}}]"


def song(seed, seconds=16):
    """Stereo music: decaying chords and a beat of noise."""
    draw = np.random.default_rng(seed)
    time = np.arange(RATE // 4) / RATE
    bars = []
    for _ in range(4 * seconds):
        chord = sum(np.sin(2 * np.pi * draw.uniform(100, 2000) * time) for _ in range(4)) / 16
        beat = draw.normal(size=(2, len(time))) * np.exp(-40 * time) / 8
        bars.append(chord * np.exp(-4 * time) + beat)
    return np.concatenate(bars, axis=1).T.astype(np.float32)


def lag(query, reference):
    """The samples by which a query is later than the reference, by whitened cross-correlation."""
    size = 2 * len(query)
    cross = np.fft.rfft(query * np.hanning(len(query)), size) * np.conj(np.fft.rfft(reference * np.hanning(len(query)), size))
    curve = np.abs(np.fft.irfft(cross / np.maximum(np.abs(cross), 1e-12) ** 0.8, size))
    place = int(np.argmax(curve))
    return place - size if place > size // 2 else place


def main():
    with tempfile.TemporaryDirectory() as name:
        bench = Bench(name)
        music = bench.folder / "music"
        music.mkdir()
        songs = {f"song-{seed}.wav": song(seed) for seed in range(6)}
        for path, samples in songs.items():
            ej.audio.write_wav(music / path, samples, RATE)
        (bench.folder / "plan.yaml").write_text(PLAN)
        words = ["--plan", "plan.yaml", "--folder", "music", "--undivided", "--chain", CHAIN,
                 "--degradation-command", f"{sys.executable} {pathlib.Path(__file__).resolve()} --serve"]
        runs = []
        for jobs in ("1", "2"):
            bench.run([EARSHOT, "evaluate", *words, "--matcher", "null", "--jobs", jobs, "--no-cache", "--details", "0",
                       "--output", f"run{jobs}"])
            runs.append(pd.read_csv(bench.folder / f"run{jobs}/trials.csv").drop(
                columns=["matchMilliseconds", "processorMilliseconds"], errors="ignore"))
        equal = runs[0].equals(runs[1])
        print(f"{len(runs[0])} trials, {'equal' if equal else 'different'} on 1 and 2 threads")
        bench.run([EARSHOT, "degrade", *words, "--output", "queries"])
        truth = pd.read_csv(bench.folder / "queries/truth.csv")
        truth = truth[truth.reference.notna() & ~truth.degradation.eq("clean")]
        errors = {}
        for row in truth.itertuples():
            query, rate = ej.audio.read_wav(bench.folder / "queries" / row.query)
            reference = songs[row.reference].mean(axis=1)
            start = round(row.offsetSeconds * rate)
            query = query if query.ndim == 1 else query.mean(axis=1)
            cut = np.pad(reference, (RATE, RATE))[RATE + start : RATE + start + len(query)]
            late = lag(query, cut) / rate
            errors.setdefault(f"{row.degradation} {row.severity}", []).append(abs(late))
        for condition, values in sorted(errors.items()):
            print(f"{condition}: {len(values)} queries, at most {1000 * max(values):.2f} ms from their truth")
        return 0 if equal and len(errors) == 5 and max(map(max, errors.values())) <= 0.001 else 1


if sys.argv[1:] == ["--serve"]:
    ej.serve_degradations(DEGRADATIONS)
else:
    sys.exit(main())
