#!/usr/bin/env python3
"""Writes the table of channels in Plans.md: the strength that was asked and that which was measured, and errors of the truth.

usage: EARSHOT_BINARY=.build/release/earshot scripts/channel-table.py

Cuts 20 queries from music made here, degrades them with the program, and measures strength and place without it: by
spectra, levels and whitened cross-correlation with the music. Needs NumPy and ffmpeg.
"""
import sys
import csv, os, pathlib, re, struct, subprocess, tempfile

import numpy as np

if "--help" in sys.argv[1:]:
    sys.exit(print(__doc__.strip()))

EARSHOT = os.environ.get("EARSHOT_BINARY", ".build/release/earshot")
ARTICLE = pathlib.Path(__file__).parents[1] / "Sources/Evaluation/Evaluation.docc/Plans.md"
RATE, SECONDS, QUERIES, LENGTH = 48_000, 90, 20, 5
# Where the music pauses.
PERIOD, PAUSE = 3.0, 0.4


def music():
    """Stereo notes and noise bursts with pauses, from a fixed seed."""
    draw = np.random.default_rng(7)
    mono = np.zeros(SECONDS * RATE)
    for _ in range(SECONDS * 9):
        start, length = draw.integers(0, len(mono) - RATE), int(RATE * draw.uniform(0.1, 0.9))
        time = np.arange(length) / RATE
        pitch = 110 * 2 ** (draw.integers(0, 48) / 12)
        tone = sum(np.sin(2 * np.pi * pitch * k * time + draw.uniform(0, 6)) / k for k in range(1, 9) if pitch * k < 16_000)
        mono[start:start + length] += tone * np.exp(-4 * time) * draw.uniform(0.2, 1)
        burst = draw.normal(0, 1, 2000) * np.exp(-np.arange(2000) / 300)
        mono[start:start + 2000] += 0.7 * burst
    other = np.roll(mono, 31)
    stereo = np.stack([mono, 0.8 * mono + 0.2 * other])
    stereo[:, (np.arange(len(mono)) / RATE) % PERIOD < PAUSE] *= 0
    return stereo * 0.5 / np.abs(stereo).max()


def write(path, stereo):
    data = stereo.T.astype("<f4").tobytes()
    head = struct.pack("<4sI4s4sIHHIIHH4sI", b"RIFF", 36 + len(data), b"WAVE", b"fmt ", 16, 3, 2, RATE, RATE * 8, 8, 32,
                       b"data", len(data))
    pathlib.Path(path).write_bytes(head + data)


def read(path):
    """Channels at 48 kHz, by a spectrum that is longer or shorter."""
    data = pathlib.Path(path).read_bytes()
    at, channels, rate = 12, 1, RATE
    while data[at:at + 4] != b"data":
        size = struct.unpack("<I", data[at + 4:at + 8])[0]
        if data[at:at + 4] == b"fmt ":
            channels, rate = struct.unpack("<HI", data[at + 10:at + 16])
        at += 8 + size + size % 2
    size = struct.unpack("<I", data[at + 4:at + 8])[0]
    planes = np.frombuffer(data[at + 8:at + 8 + size], "<f4").reshape(-1, channels).T.astype(float)
    frames = planes.shape[1] * RATE // rate
    return np.fft.irfft(np.fft.rfft(planes), frames) * frames / planes.shape[1]


class Query:
    """A query, and the music at the place that the truth names."""

    def __init__(self, row, folder, source):
        self.path = f"{folder}/{row['query']}"
        self.planes = read(self.path)
        self.mono = self.planes.mean(0)
        first = float(row["offsetSeconds"]) * RATE
        self.start = first / RATE
        whole, part = int(np.floor(first)), first - np.floor(first)
        margin = RATE // 10
        # Moved by a part of a frame in the spectrum.
        padded = np.zeros(len(self.mono) + 2 * margin)
        low, high = max(0, whole - margin), min(source.shape[1], whole + len(self.mono) + margin)
        padded[low - whole + margin:high - whole + margin] = source.mean(0)[low:high]
        turn = np.exp(2j * np.pi * np.fft.rfftfreq(len(padded)) * part)
        self.music = np.fft.irfft(np.fft.rfft(padded) * turn, len(padded))[margin:margin + len(self.mono)]

    def lag_milliseconds(self):
        """How much later the query is than its truth says."""
        size = 1 << int(np.ceil(np.log2(2 * len(self.mono))))
        cross = np.fft.rfft(self.mono, size) * np.conj(np.fft.rfft(self.music, size))
        cross /= np.maximum(np.abs(cross), 1e-3 * np.abs(cross).max()) ** 0.7
        # A lag is interpolated between samples of an eighth.
        lags = np.fft.irfft(cross, 8 * size)
        reach = 8 * RATE // 20
        lags = np.concatenate([lags[-reach:], lags[:reach]])
        return (np.argmax(lags) - reach) / (8 * RATE) * 1000

    def response(self, hertz, below=1.2):
        """The gain in decibels around a frequency."""
        x, y = np.fft.rfft(self.music), np.fft.rfft(self.mono)
        frequency = np.fft.rfftfreq(len(self.mono), 1 / RATE)
        near = (frequency > hertz / below) & (frequency < hertz * below)
        return 10 * np.log10(np.sum(np.abs(y[near]) ** 2) / np.sum(np.abs(x[near]) ** 2))

    def rest(self, plane=None):
        """What is not the music, and the music in it."""
        plane = self.mono if plane is None else plane
        x, y = np.fft.rfft(self.music), np.fft.rfft(plane)
        signal = np.fft.irfft(x * (np.vdot(x, y) / np.vdot(x, x)).real, len(plane))
        return plane - signal, signal

    def levels(self, samples, seconds=0.1):
        size = int(seconds * RATE)
        blocks = samples[:len(samples) // size * size].reshape(-1, size)
        return 10 * np.log10(np.mean(blocks ** 2, 1) + 1e-20)

    def pauses(self):
        time = (self.start + np.arange(len(self.mono)) / RATE) % PERIOD
        return (time > 0.15) & (time < PAUSE - 0.02)


def ratio(query):
    rest, signal = query.rest()
    return 10 * np.log10(np.mean(signal ** 2) / np.mean(rest ** 2))


def swing(query):
    levels = query.levels(query.rest()[0])
    return levels.max() - levels.min()


def likeness(query):
    left, right = (query.rest(plane)[0] for plane in query.planes)
    return np.vdot(left, right) / np.sqrt(np.vdot(left, left) * np.vdot(right, right))


def lost(query):
    size = RATE // 50
    loudest = [np.abs(plane[:len(plane) // size * size].reshape(-1, size)).max(1) for plane in (query.mono, query.music)]
    return 100 * np.mean(loudest[0][loudest[1] > 1e-3] < 1e-6)


def fade(query):
    """The second at which half of the music's power is left, within 0.2 s blocks."""
    size = RATE // 5
    gains = [np.vdot(query.music[a:a + size], query.mono[a:a + size]) / (np.vdot(query.music[a:a + size],
             query.music[a:a + size]) + 1e-9) for a in range(0, len(query.mono) - size, size // 4)]
    full = np.median(gains[:20])
    return next((k * size / 4 / RATE + 0.1 for k, gain in enumerate(gains) if k > 30 and gain < full / np.sqrt(2)), np.nan)


def loudness(query):
    said = subprocess.run(["ffmpeg", "-nostats", "-i", query.path, "-af", "ebur128", "-f", "null", "-"],
                          capture_output=True, text=True).stderr
    return float(re.findall(r"I:\s+(-?[\d.]+) LUFS", said)[-1])


def edge(query):
    """Where the response is 6 dB down."""
    middle = query.response(5000)
    return next((hertz / 1000 for hertz in range(12_000, 20_000, 100) if query.response(hertz, 1.01) < middle - 6), np.nan)


def in_pauses(query):
    chosen = query.pauses()
    return 10 * np.log10(np.mean(query.mono[chosen] ** 2)) if chosen.any() else np.nan


# Name, chain, what was asked, unit, what measures it.
NOISE = "noise: {colour: white, snrDecibels: 20}"
CHANNELS = [
    ("equalizer at 1 kHz", "[equalizer: {frequencyHertz: 1000, gainDecibels: 9}]", 9, "dB",
     lambda q: q.response(1000, 1.03) - q.response(12_000, 1.1)),
    ("multiband", "[multiband: {driveDecibels: 9}]", None, "", None),
    ("loudness", "[loudness: {targetLUFS: -16}]", -16, "LUFS", loudness),
    ("fm", "[fm: {}]", 15, "kHz", edge),
    ("voiceOver without ducking", "[voiceOver: {snrDecibels: 0, duckDecibels: 0}]", 0, "dB", ratio),
    ("crossfade from 2.5 s within 1 s", "[crossfade: {fadeSeconds: 1}]", 3, "s", fade),
    ("packetLoss with silence", "[packetLoss: {lossPercent: 10, concealment: silence}]", 10, "%", lost),
    ("packetLoss", "[packetLoss: {lossPercent: 10, burstPackets: 2}]", None, "", None),
    ("noise that swings", "[noise: {colour: white, snrDecibels: -10, swingDecibels: 12, swingSeconds: 3}]", 12, "dB", swing),
    ("noise of each channel", "[noise: {colour: white, snrDecibels: -10, channels: independent}]", 0, "correlation", likeness),
    ("noiseSuppression", f"[{NOISE}, noiseSuppression: {{suppressionDecibels: 15}}]", -15, "dB", in_pauses),
] + [(f"format {name}", f"[format: {{encoding: {name}}}]", None, "", None) for name in (
    "aac-128k", "aac-32k", "sbc-328k", "sbc-128k", "g722-64k", "ogg-opus-8k", "ogg-opus-6k", "wav-gsm610", "au-g721",
    "amr-wb-12.65k", "amr-nb-12.2k")]


def queries(chain, folder, source, path):
    steps = "[" + ", ".join("{" + step + "}" for step in re.split(r", (?=\w+: \{)", chain[1:-1])) + "]"
    done = subprocess.run([EARSHOT, "degrade", path, "--chain", steps, "--length", str(LENGTH), "--count", str(QUERIES),
                           "--output", folder], capture_output=True, text=True)
    if done.returncode:
        return None, done.stderr.strip().splitlines()[-1]
    with open(f"{folder}/truth.csv", newline="", encoding="utf-8") as file:
        return [Query(row, folder, source) for row in csv.DictReader(file)], None


def main():
    lines = ["| channel | asked | measured | offset error, ms: median | largest |", "|---|--:|--:|--:|--:|"]
    with tempfile.TemporaryDirectory() as folder:
        source, path = music(), f"{folder}/music.wav"
        write(path, source)
        plain, _ = queries(f"[{NOISE}]", f"{folder}/plain", source, path)
        before = np.nanmedian([in_pauses(query) for query in plain])
        for place, (name, chain, asked, unit, measure) in enumerate(CHANNELS):
            found, failure = queries(chain, f"{folder}/{place}", source, path)
            if found is None:
                lines.append(f"| {name} | | not offered: {failure.split('because ')[-1]} | | |")
                print(lines[-1], flush=True)
                continue
            value = np.nanmedian([measure(query) for query in found]) if measure else None
            if measure is in_pauses:
                value -= before
            lags = np.abs([query.lag_milliseconds() for query in found])
            shown = "" if value is None else f"{value:.2f} {unit}"
            lines.append(f"| {name} | {'' if asked is None else f'{asked} {unit}'} | {shown} | {np.median(lags):.3f} | "
                         f"{lags.max():.3f} |")
            print(lines[-1], flush=True)
    text = ARTICLE.read_text(encoding="utf-8")
    table = "\n".join(lines)
    text, count = re.subn(r"(<!-- channels:begin -->\n).*?(<!-- channels:end -->)", lambda m: m[1] + table + "\n" + m[2], text,
                          flags=re.S)
    if count != 1:
        raise SystemExit(f"channel-table: {ARTICLE} has no place for the table")
    ARTICLE.write_text(text, encoding="utf-8")


main()
