"""Matchers of the tests. Each but the first does one thing wrong."""

from collections import Counter

import numpy as np

from earshot_judge import Answer, Matcher


class Peaks(Matcher):
    """Triples of the strongest frequencies of frames of 64 ms, which are looked up in a table."""

    def __init__(self):
        self.table = {}

    def keys(self, samples, rate):
        size = int(0.064 * rate)
        frames = samples[: len(samples) // size * size].reshape(-1, size)
        steps = np.abs(np.fft.rfft(frames * np.hanning(size), 8192)).argmax(axis=1) * rate // 8192 // 8
        return enumerate(zip(steps, steps[1:], steps[2:], strict=False))

    def enrol(self, id, samples, rate):
        for shift in range(8):
            late = samples[shift * int(0.008 * rate) :]
            for frame, key in self.keys(late, rate):
                self.table.setdefault(key, []).append((id, 8 * frame + shift))

    def identify(self, samples, rate):
        votes = Counter((id, at - 8 * frame) for frame, key in self.keys(samples, rate) for id, at in self.table.get(key, ()))
        return [Answer(id, count, 0.008 * at, accepted=count > 3) for (id, at), count in votes.most_common(5)]
