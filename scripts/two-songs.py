#!/usr/bin/env python3
"""Measure queries that hold the end of one song and the beginning of another.

usage: scripts/two-songs.py [--corpus NAME] [--half HALF] [--queries N] [--seed N] [--misses]

Cuts queries of 10 s from the enrolled recordings of a corpus. Each has stretches of two recordings, and the seam lies at 5 to
95 % of it. Asks `earshot match` and prints in how many both are named, in how many the longer one is first, and how far the
stated ends are from the seam. --misses lists the queries in which one is not named, or the shorter one first. EARSHOT_BINARY
is the program, .build/release/earshot by default. Needs NumPy and ffmpeg.
"""
import argparse
import json
import os
import pathlib
import random
import subprocess
import tempfile
import wave

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parent.parent
EARSHOT = os.environ.get("EARSHOT_BINARY", str(ROOT / ".build/release/earshot"))
RATE, SECONDS = 16_000, 10
# A stretch below this RMS is drawn again.
LEAST_RMS = 0.01


def earshot(*words):
    return subprocess.run([EARSHOT, *words], check=True, stdout=subprocess.PIPE, text=True).stdout


def recordings(corpus, half):
    rows = [line.split("\t") for line in earshot("corpus", "list", corpus).splitlines()[1:]]
    paths = earshot("corpus", "path", corpus).splitlines()
    return [path for row, path in zip(rows, paths, strict=True) if row[0] == f"enrolled:{half}"]


def samples(path, kept={}):
    if path not in kept:
        command = ["ffmpeg", "-v", "error", "-i", path, "-ac", "1", "-ar", str(RATE), "-f", "s16le", "-"]
        kept[path] = np.frombuffer(subprocess.run(command, check=True, capture_output=True).stdout, "<i2")
    return kept[path]


def stretch(path, frames, draw):
    """Some frames of a recording, or nothing if no draw is long and loud enough."""
    whole = samples(path)
    for _ in range(50 if len(whole) > frames else 0):
        start = draw.randrange(len(whole) - frames)
        part = whole[start:start + frames]
        if np.sqrt(np.mean((part / 32768.0) ** 2)) > LEAST_RMS:
            return part
    return None


def queries(paths, count, draw, folder):
    """The file, both recordings and the second of the seam of each query."""
    made = []
    while len(made) < count:
        songs = draw.sample(paths, 2)
        seam = round(draw.uniform(0.05, 0.95) * SECONDS * RATE)
        parts = [stretch(song, frames, draw) for song, frames in zip(songs, (seam, SECONDS * RATE - seam))]
        if any(part is None for part in parts):
            continue
        file = f"{folder}/{len(made)}.wav"
        with wave.open(file, "wb") as query:
            query.setparams((1, 2, RATE, 0, "NONE", ""))
            query.writeframes(np.concatenate(parts).tobytes())
        made.append((file, [pathlib.Path(song).stem for song in songs], seam / RATE))
    return made


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--corpus", default="games")
    parser.add_argument("--half", default="test")
    parser.add_argument("--queries", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--misses", action="store_true")
    chosen = parser.parse_args()
    both = first = 0
    errors, shorter = [], {}
    with tempfile.TemporaryDirectory() as folder:
        paths = recordings(chosen.corpus, chosen.half)
        made = queries(paths, chosen.queries, random.Random(chosen.seed), folder)
        asked = pathlib.Path(folder, "queries.txt")
        asked.write_text("\n".join(file for file, _, _ in made) + "\n")
        catalog = f"{folder}/songs.earcatalog"
        earshot("custom-catalog", "create", "--sources", *paths, "--output", catalog)
        lines = earshot("match", "--catalog", catalog, "--files", str(asked), "--format", "jsonl").splitlines()
    for (_, songs, seam), line in zip(made, lines, strict=True):
        answers = json.loads(line)["answers"]
        found = [next((each for each in answers if each["reference"] == song), None) for song in songs]
        longer_is_first = bool(answers) and answers[0] is found[seam < SECONDS / 2]
        first += longer_is_first
        tally = shorter.setdefault(int(min(seam, SECONDS - seam)), [0, 0])
        tally[1] += 1
        if all(found):
            both += 1
            tally[0] += 1
            errors += [abs(found[0]["queryRange"][1] - seam), abs(found[1]["queryRange"][0] - seam)]
        if chosen.misses and not (all(found) and longer_is_first):
            ranges = [(each["reference"], each["queryRange"]) for each in answers]
            print(f"seam at {seam:.2f} s of {' and '.join(songs)}; answers: {ranges}")
    median, p95 = np.percentile(errors or [float("nan")], [50, 95])
    print(f"both named in {both} of {len(made)}; the longer one first in {first}; "
          f"ends off the seam by {median:.3f} s in the median, p95 {p95:.3f} s")
    for seconds, (named, count) in sorted(shorter.items()):
        print(f"  the shorter one {seconds} to {seconds + 1} s: {named} of {count}")


if __name__ == "__main__":
    main()
