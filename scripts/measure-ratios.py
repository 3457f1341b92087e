#!/usr/bin/env python3
"""Measures in each recording of a list how loud the music is against everything else, and writes a table.

usage: scripts/measure-ratios.py TRUTH QUERIES REFERENCES OUTPUT.csv

TRUTH is a table with the columns query, reference and lengthSeconds; only the longest cuts of each file are measured.
Columns of the output: query, reference, startSeconds in the reference, clockPpm, ratioDecibels. The recording is aligned
with its reference by whitened cross-correlation at many clocks. Then the squared coherence of both, in blocks of 186 ms,
divides each frequency from 75 Hz to 10 kHz into music and noise. Reverberation beyond 186 ms counts as noise. Where the
ratio is below −24 dB, the last three columns are empty. Needs NumPy and ffmpeg.
"""
import csv
import os
import subprocess
import sys

import numpy as np

if "--help" in sys.argv[1:]:
    sys.exit(print(__doc__.strip()))

RATE = 22_050
BLOCK = 4_096
# A clock is off by at most this much.
MOST_PPM, STEP_PPM = 600, 25
# The places that are tried.
HYPOTHESES = 4
# Below this a coherence may be that of chance.
LEAST_DECIBELS = -24


def samples(path):
    command = ["ffmpeg", "-v", "error", "-i", path, "-ac", "1", "-ar", str(RATE), "-f", "f32le", "-"]
    decoded = subprocess.run(command, capture_output=True)
    if decoded.returncode != 0:
        raise SystemExit(f"measure-ratios: {path}: {decoded.stderr.decode(errors='replace').strip()}")
    return np.frombuffer(decoded.stdout, np.float32).astype(float)


def longest_cuts(path):
    """The rows of the table of truth with the longest cuts."""
    with open(path, newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    try:
        lengths = [float(row["lengthSeconds"]) for row in rows]
        return [row for row, length in zip(rows, lengths) if length == max(lengths) and row["query"] and row["reference"]]
    except (KeyError, TypeError, ValueError) as error:
        raise SystemExit(f"measure-ratios: {path}: expected the columns query, reference and lengthSeconds ({error})")


def places(recording, reference):
    """The likeliest samples of the reference at the recording's first one, each with the clock."""
    size = 1 << int(np.ceil(np.log2(len(recording) + len(reference))))
    frequency = np.fft.rfftfreq(size, 1 / RATE)
    # Below the frequencies where the next clock would be out of phase at the ends.
    band = (frequency > 150) & (frequency < 3_700)
    whitened = np.fft.rfft(reference, size)
    whitened = np.where(band, whitened / (np.abs(whitened) + 1e-12), 0)
    times = np.arange(len(recording))
    middle = len(recording) / 2
    found = []
    for ppm in range(-MOST_PPM, MOST_PPM + 1, STEP_PPM):
        slope = ppm * 1e-6
        played = np.fft.rfft(np.interp(middle + (times - middle) / (1 + slope), times, recording), size)
        heights = np.abs(np.fft.irfft(np.conj(played / (np.abs(played) + 1e-12)) * whitened, size))
        for lag in np.argpartition(heights, -5)[-5:]:
            # A lag beyond the reference is one before its beginning.
            signed = int(lag) if lag < len(reference) else int(lag) - size
            found.append((heights[lag], signed - slope * middle, slope))
    chosen = []
    for _, start, slope in sorted(found, reverse=True):
        if all(abs(start + slope * middle - other - clock * middle) > RATE / 100 for other, clock in chosen):
            chosen.append((start, slope))
        if len(chosen) == HYPOTHESES:
            break
    return chosen


def ratio(recording, reference, start, slope):
    """Power of what is coherent with the reference over the rest, from 75 Hz to 10 kHz."""
    times = start + np.arange(len(recording)) * (1 + slope)
    inside = (times >= 0) & (times < len(reference) - 1)
    if inside.sum() < 3 * RATE:
        return 0.0
    played = np.interp(times[inside], np.arange(len(reference)), reference)
    heard = recording[inside]
    window = np.hanning(BLOCK)
    blocks = range(0, len(heard) - BLOCK + 1, BLOCK // 2)
    x = np.array([np.fft.rfft(played[block:block + BLOCK] * window) for block in blocks])
    y = np.array([np.fft.rfft(heard[block:block + BLOCK] * window) for block in blocks])
    # Of half-overlapping blocks about half as many are independent, which sets the coherence of chance.
    chance = 1 / (len(x) * 0.55)
    xx, yy = np.mean(np.abs(x) ** 2, 0), np.mean(np.abs(y) ** 2, 0)
    coherence = np.abs(np.mean(np.conj(x) * y, 0)) ** 2 / (xx * yy + 1e-30)
    coherence = (coherence - chance) / (1 - chance)
    frequency = np.fft.rfftfreq(BLOCK, 1 / RATE)
    band = (frequency >= 75) & (frequency <= 10_000)
    music = float(np.sum((coherence * yy)[band]))
    return music / max(float(np.sum(yy[band])) - music, 1e-30)


def measure(recording, reference):
    """The best ratio, with place and clock: a coherence needs both to be exact."""
    middle = len(recording) / 2
    best = (0.0, 0.0, 0.0)
    for start, slope in places(recording, reference):
        found = (0.0, start, slope)
        for reach, shifts, ppm, skews in ((2, 5, 12, 5), (1, 5, 6, 5), (0.25, 3, 2, 5)):
            _, start, slope = found
            for skew in slope + np.linspace(-ppm, ppm, skews) * 1e-6:
                for shift in np.linspace(-reach, reach, shifts):
                    candidate = start + shift - (skew - slope) * middle
                    found = max(found, (ratio(recording, reference, candidate, skew), candidate, skew))
            if found[0] < best[0] / 4:
                break
        best = max(best, found)
    return best


def main():
    if len(sys.argv) != 5:
        raise SystemExit(__doc__)
    truth, queries, references, output = sys.argv[1:]
    known, table = {}, []
    for row in longest_cuts(truth):
        query, name = row["query"], row["reference"]
        if name not in known:
            known[name] = samples(f"{references}/{name}")
        found, start, slope = measure(samples(f"{queries}/{query}"), known[name])
        figures = ["", "", ""]
        if found > 10 ** (LEAST_DECIBELS / 10):
            figures = [f"{start / RATE:.4f}", f"{slope * 1e6:.0f}", f"{10 * np.log10(found):.1f}"]
        table.append([query, name] + figures)
    with open(output + ".part", "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["query", "reference", "startSeconds", "clockPpm", "ratioDecibels"])
        writer.writerows(table)
    os.replace(output + ".part", output)


main()
