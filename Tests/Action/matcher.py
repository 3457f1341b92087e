"""The matcher of a sample repository. `--weak` makes it worse."""

import sys
from collections import Counter

import numpy as np

import earshot_judge as ej


class Peaks(ej.Matcher):
    name = "peaks"
    version = "1"

    def __init__(self):
        self.table = {}

    def keys(self, samples, rate):
        size = int(0.064 * rate)
        frames = samples[: len(samples) // size * size].reshape(-1, size)
        steps = np.abs(np.fft.rfft(frames * np.hanning(size), 4096)).argmax(axis=1) * rate // 4096 // 16
        return enumerate(zip(steps, steps[1:], steps[2:], strict=False))

    def enrol(self, id, samples, rate):
        for shift in range(8):
            for frame, key in self.keys(samples[int(shift * 0.008 * rate) :], rate):
                self.table.setdefault(key, []).append((id, 8 * frame + shift))

    def identify(self, samples, rate):
        votes = Counter((id, at - 8 * n) for n, key in self.keys(samples, rate) for id, at in self.table.get(key, ()))
        least = 60 if "--weak" in sys.argv else 9
        return [ej.Answer(id, count, 0.008 * at, accepted=count > least) for (id, at), count in votes.most_common(5)]


Peaks().serve()
