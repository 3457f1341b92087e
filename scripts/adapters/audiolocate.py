#!/usr/bin/env python3
"""Runs audiolocate (JoeYang1412) as an external matcher of `earshot`, by its Python module.

    audiolocate.py [--setting default]

It needs `pip install audiolocate`. audiolocate looks for one sample in one recording. This adapter
compares the hashes of a query with those of each reference in turn, by its `AudioFingerprint.match`.

The score is the number of hashes that agree in time, to a frame of 32 ms. audiolocate accepts a place
with more than 5 of them that stands out from all other places. There is no skew.
"""
import importlib.metadata
import sys
import time

sys.path.append(sys.path.pop(0))  # this folder after the installed packages: this file has the name of one

from audiolocate import AudioFingerprint

import protocol


class Audiolocate(protocol.Adapter):
    name = "audiolocate"

    def __init__(self) -> None:
        self.version = importlib.metadata.version("audiolocate")
        self.matcher = AudioFingerprint()
        self.settings = {"setting": "default", "peaks-per-second": self.matcher.peaks_per_second,
                         "fan": self.matcher.fan_value, "least-hashes": self.matcher.min_count_floor}
        self.references: dict[str, dict[int, list[int]]] = {}

    def hashes(self, path: str) -> dict[int, list[int]]:
        return self.matcher.fingerprint_audio(self.matcher.load_audio(path))[0]

    def enrol(self, id: str, path: str) -> None:
        self.references[id] = self.hashes(path)

    def ready(self) -> None:
        """audiolocate keeps its hashes in Python's dictionaries, whose size it does not know."""
        return None

    def identify(self, path: str) -> list[protocol.Answer]:
        query = self.hashes(path)
        start = time.perf_counter()
        found = [(id, self.matcher.match(reference, query)) for id, reference in self.references.items()]
        self.match_milliseconds = 1000 * (time.perf_counter() - start)
        seconds_per_frame = self.matcher.hop_length / self.matcher.sr
        return [protocol.Answer(id=id, score=place.match_count, accepted=place.is_match,
                                offset_seconds=place.offset_frames * seconds_per_frame)
                for id, place in found if place.match_count > 0]


if __name__ == "__main__":
    chosen = protocol.options(__doc__, ["default"], home="not needed")
    protocol.serve(Audiolocate(), chosen)
