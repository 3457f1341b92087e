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


class Raising(Peaks):
    def identify(self, samples, rate):
        if len(self.keys_seen) > 3:
            raise KeyError("no such band")
        self.keys_seen.append(rate)
        return super().identify(samples, rate)

    def __init__(self):
        super().__init__()
        self.keys_seen = []


class Failing(Peaks):
    def identify(self, samples, rate):
        raise LookupError("no such octave")


class Refusing(Peaks):
    def enrol(self, id, samples, rate):
        raise MemoryError("the table is full")


class Printing(Peaks):
    def identify(self, samples, rate):
        import os

        print("a line of a matcher")
        os.write(1, b'{"query":"none","answers":[]}\n')
        return super().identify(samples, rate)


class Forking(Peaks):
    def identify(self, samples, rate):
        import multiprocessing
        import os
        import time

        if os.fork() == 0:
            time.sleep(600)
        with multiprocessing.get_context("fork").Pool(1) as pool:
            pool.map(abs, [1])
        return super().identify(samples, rate)


class Undefined(Peaks):
    def identify(self, samples, rate):
        return [Answer(next(iter(self.table.values()))[0][0], float("nan"), 0)]


class Unplaced(Peaks):
    def identify(self, samples, rate):
        return [Answer(answer.id, answer.score, accepted=answer.accepted) for answer in super().identify(samples, rate)]


class Unknown(Peaks):
    def identify(self, samples, rate):
        return Answer("somebody", 1, 0)


class Wordy(Peaks):
    def identify(self, samples, rate):
        return "tune-1"


class Dying(Peaks):
    def identify(self, samples, rate):
        import os

        os.abort()


class Killed(Peaks):
    """Ends once, as if somebody had sent the signal."""

    def __init__(self, note):
        super().__init__()
        self.note = note

    def identify(self, samples, rate):
        import os

        if not os.path.exists(self.note):
            open(self.note, "w").close()
            os.kill(os.getpid(), 9)
        return super().identify(samples, rate)


class Slow(Peaks):
    def identify(self, samples, rate):
        import time

        time.sleep(0.06)
        return super().identify(samples, rate)
