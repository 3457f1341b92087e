#!/usr/bin/env python3
"""Runs Chromaprint (Lukáš Lalinský) as an external matcher of `earshot`, with a simple search.

    chromaprint.py [--home FOLDER_OF_THE_PROGRAM] [--setting scan]

`fpcalc` makes the fingerprints. It is in Debian's libchromaprint-tools, or at
https://acoustid.org/chromaprint. It converts audio to 11,025 Hz mono. Chromaprint has no search for
excerpts. This adapter compares the query's 32-bit items with every place of every reference and
counts the differing bits. It needs numpy, and is faster from numpy 2.0 on.

The score is the share of equal bits at a reference's best place. A place is accepted at a mean of
fewer than 10 differing bits of 32, as in Chromaprint's own comparison of two fingerprints. The offset
is in steps of an item, 124 ms. There is no skew. A query has one item for each 124 ms after its first
2.6 s.
"""
import json
import subprocess
import time

import numpy

import protocol

SECONDS_PER_ITEM = 1365 / 11025
"""Frames of 4,096 samples overlap by two thirds."""
BITS = 32
DIFFERING_BITS = 10

COUNTS_OF_16_BITS = numpy.array([bin(word).count("1") for word in range(1 << 16)], dtype=numpy.uint8)


def count_bits(words: numpy.ndarray) -> numpy.ndarray:
    if hasattr(numpy, "bitwise_count"):
        return numpy.bitwise_count(words)
    return COUNTS_OF_16_BITS[words & 0xFFFF] + COUNTS_OF_16_BITS[words >> 16]


class Chromaprint(protocol.Adapter):
    name = "chromaprint"
    settings = {"setting": "scan", "algorithm": 2, "differing bits": DIFFERING_BITS}
    # The other algorithms have items of another length.
    tunables = [{"name": "algorithm", "choices": ["test1", "test2", "test4"], "default": "test2",
                 "summary": "the algorithm of fpcalc; test2 is that of AcoustID"}]
    algorithm = "2"

    def configure(self, settings: dict) -> None:
        self.algorithm = settings["algorithm"].removeprefix("test")
        self.settings = {**self.settings, "algorithm": int(self.algorithm)}

    def __init__(self, home: str | None):
        self.program = f"{home}/fpcalc" if home else "fpcalc"
        self.version = protocol.run(self.program, "-version").split()[2]
        self.prints: list[tuple[str, numpy.ndarray]] = []

    def items(self, path: str) -> numpy.ndarray:
        """The items of a file. `fpcalc` fails on audio that is too short for one item. It also fails
        at the end of some files after it has printed all items."""
        done = subprocess.run([self.program, "-raw", "-json", "-algorithm", self.algorithm, "-length", "0", path],
                              capture_output=True, text=True, errors="replace")
        if done.stdout.startswith("{"):
            return numpy.array(json.loads(done.stdout)["fingerprint"], dtype=numpy.uint32)
        if "Empty fingerprint" in done.stderr or "Not enough audio" in done.stderr:
            return numpy.array([], dtype=numpy.uint32)
        raise RuntimeError(f"fpcalc: {done.stderr.strip()}")

    def enrol(self, id: str, path: str) -> None:
        self.prints.append((id, self.items(path)))

    def ready(self) -> int:
        self.all = numpy.concatenate([items for _, items in self.prints])
        return self.all.nbytes

    def identify(self, path: str) -> list[protocol.Answer]:
        query = self.items(path)
        start = time.perf_counter()
        answers = self.scan(query) if len(query) else []
        self.match_milliseconds = 1000 * (time.perf_counter() - start)
        return answers

    def scan(self, query: numpy.ndarray) -> list[protocol.Answer]:
        """The best place in each reference that is no shorter than the query."""
        places = len(self.all) - len(query) + 1
        differing = numpy.zeros(max(places, 0), dtype=numpy.uint32)
        for index, item in enumerate(query):
            differing += count_bits(self.all[index:index + places] ^ item)
        answers, first = [], 0
        for id, items in self.prints:
            here = differing[first:first + max(len(items) - len(query) + 1, 0)]
            first += len(items)
            if len(here):
                place = int(here.argmin())
                bits = int(here[place]) / len(query)
                answers.append(protocol.Answer(
                    id=id, score=1 - bits / BITS, offset_seconds=place * SECONDS_PER_ITEM,
                    accepted=bits < DIFFERING_BITS))
        return answers


if __name__ == "__main__":
    chosen = protocol.options(__doc__, ["scan"], home="the folder of the program fpcalc")
    protocol.serve(Chromaprint(chosen.home), chosen)
